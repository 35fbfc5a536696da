// The kinds of resources. Routes, validation and catalog follow from this table.
import {
  Dataset,
  DatasetCreate,
  DatasetPatch,
  Experiment,
  ExperimentCreate,
  ExperimentPatch,
  Project,
  ProjectCreate,
  ProjectPatch,
  Role,
  RoleCreate,
} from '../schema/object.js';
import type { ObjectFacet, ObjectKind, ResourceDefinition } from './definition.js';

const project: ObjectFacet = {
  kind: 'project',
  object: Project,
  create: ProjectCreate,
  patch: ProjectPatch,
  uniqueWithin: 'organisation',
  references: {},
  filters: { project_name: 'name' },
  canBePublic: false,
};

const experiment: ObjectFacet = {
  kind: 'experiment',
  object: Experiment,
  create: ExperimentCreate,
  patch: ExperimentPatch,
  uniqueWithin: 'project',
  references: { base_exp_id: 'experiment', dataset_id: 'dataset' },
  filters: {
    experiment_name: 'name',
    project_name: 'project.name',
    project_id: 'project_id',
  },
  canBePublic: true,
};

const dataset: ObjectFacet = {
  kind: 'dataset',
  object: Dataset,
  create: DatasetCreate,
  patch: DatasetPatch,
  uniqueWithin: 'project',
  references: {},
  filters: { dataset_name: 'name', project_name: 'project.name', project_id: 'project_id' },
  canBePublic: false,
};

const role: ObjectFacet = {
  kind: 'role',
  object: Role,
  create: RoleCreate,
  patch: null,
  uniqueWithin: 'organisation',
  references: { member_roles: 'role' },
  filters: { role_name: 'name' },
  canBePublic: false,
};

export const objectFacets: Readonly<Record<ObjectKind, ObjectFacet>> = {
  project,
  experiment,
  dataset,
  role,
};

export const resources: readonly ResourceDefinition[] = [
  { path: 'project', objects: project },
  { path: 'project_logs', events: { kind: 'project_logs', canBePublic: false } },
  {
    path: 'experiment',
    objects: experiment,
    events: { kind: 'experiment', canBePublic: true },
  },
  { path: 'dataset', objects: dataset, events: { kind: 'dataset', canBePublic: false } },
  { path: 'role', objects: role },
];
