// The kinds of resources. Routes, validation and catalog follow from this table.
import {
  Experiment,
  ExperimentCreate,
  ExperimentPatch,
  Project,
  ProjectCreate,
  ProjectPatch,
} from '../schema/object.js';
import type { ObjectFacet, ObjectKind, ResourceDefinition } from './definition.js';

const project: ObjectFacet = {
  kind: 'project',
  object: Project,
  create: ProjectCreate,
  patch: ProjectPatch,
  uniqueWithin: 'organisation',
  filters: { project_name: 'name' },
  canBePublic: false,
};

const experiment: ObjectFacet = {
  kind: 'experiment',
  object: Experiment,
  create: ExperimentCreate,
  patch: ExperimentPatch,
  uniqueWithin: 'project',
  filters: {
    experiment_name: 'name',
    project_name: 'project.name',
    project_id: 'project_id',
  },
  canBePublic: true,
};

export const objectFacets: Readonly<Record<ObjectKind, ObjectFacet>> = { project, experiment };

export const resources: readonly ResourceDefinition[] = [
  { path: 'project', objects: project },
  { path: 'project_logs', events: { kind: 'project_logs', canBePublic: false } },
  {
    path: 'experiment',
    objects: experiment,
    events: { kind: 'experiment', canBePublic: true },
  },
];
