// The table of resource kinds. Routes, validation and the catalog use it.
import { FunctionCreate, FunctionPatch, StoredFunction } from '../function.js';
import {
  Dataset,
  DatasetCreate,
  DatasetPatch,
  DatasetSnapshot,
  DatasetSnapshotCreate,
  DatasetSnapshotPatch,
  Experiment,
  ExperimentCreate,
  ExperimentPatch,
  Project,
  ProjectCreate,
  ProjectPatch,
  Prompt,
  PromptCreate,
  PromptPatch,
  Role,
  RoleCreate,
  RolePatch,
} from '../object.js';
import { accessFacets, accessResources } from './access-table.js';
import type { ObjectFacet, ObjectKind, ResourceDefinition } from './definition.js';

const standard = {
  methods: ['list', 'create', 'put', 'read', 'patch', 'delete'],
  uniqueBy: 'name',
  uniqueWithin: 'project',
  references: {},
  put: 'create',
  isVersioned: false,
} as const;

const versioned = { ...standard, uniqueBy: 'slug', put: 'replace', isVersioned: true } as const;

const byProject = { project_name: 'project.name', project_id: 'project_id' } as const;

const project: ObjectFacet = {
  ...standard,
  kind: 'project',
  object: Project,
  type: 'project',
  create: ProjectCreate,
  patch: ProjectPatch,
  uniqueWithin: 'organisation',
  filters: { project_name: 'name' },
};

const experiment: ObjectFacet = {
  ...standard,
  kind: 'experiment',
  object: Experiment,
  type: 'experiment',
  create: ExperimentCreate,
  patch: ExperimentPatch,
  references: { base_exp_id: 'experiment', dataset_id: 'dataset' },
  filters: {
    experiment_name: 'name',
    ...byProject,
  },
};

const dataset: ObjectFacet = {
  ...standard,
  kind: 'dataset',
  object: Dataset,
  type: 'dataset',
  create: DatasetCreate,
  patch: DatasetPatch,
  filters: { dataset_name: 'name', ...byProject },
};

const datasetSnapshot: ObjectFacet = {
  ...standard,
  kind: 'dataset_snapshot',
  object: DatasetSnapshot,
  type: 'dataset',
  create: DatasetSnapshotCreate,
  patch: DatasetSnapshotPatch,
  uniqueWithin: 'dataset',
  filters: { dataset_snapshot_name: 'name', dataset_id: 'dataset_id' },
};

const prompt: ObjectFacet = {
  ...versioned,
  kind: 'prompt',
  object: Prompt,
  type: 'prompt',
  create: PromptCreate,
  patch: PromptPatch,
  filters: {
    prompt_name: 'name',
    ...byProject,
    slug: 'slug',
  },
};

const functionFacet: ObjectFacet = {
  ...versioned,
  kind: 'function',
  object: StoredFunction,
  type: 'prompt',
  create: FunctionCreate,
  patch: FunctionPatch,
  filters: {
    function_name: 'name',
    ...byProject,
    slug: 'slug',
    function_type: 'function_type',
  },
  alsoShows: 'prompt',
};

const role: ObjectFacet = {
  ...standard,
  kind: 'role',
  object: Role,
  type: 'role',
  create: RoleCreate,
  patch: RolePatch,
  uniqueWithin: 'organisation',
  references: { member_roles: 'role' },
  filters: { role_name: 'name' },
};

export const objectFacets: Readonly<Record<ObjectKind, ObjectFacet>> = {
  project,
  experiment,
  dataset,
  dataset_snapshot: datasetSnapshot,
  prompt,
  function: functionFacet,
  role,
  ...accessFacets,
};

export const resources: readonly ResourceDefinition[] = [
  { path: 'project', objects: project },
  { path: 'project_logs', events: 'project_logs', feedback: 'project_logs' },
  { path: 'experiment', objects: experiment, events: 'experiment', feedback: 'experiment' },
  { path: 'dataset', objects: dataset, events: 'dataset', feedback: 'dataset' },
  { path: 'dataset_snapshot', objects: datasetSnapshot },
  { path: 'prompt', objects: prompt, feedback: 'prompt' },
  { path: 'function', objects: functionFacet },
  { path: 'role', objects: role },
  ...accessResources,
];
