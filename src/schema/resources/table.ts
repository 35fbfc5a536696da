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
import { accessKinds, accessResources } from './access-table.js';
import type { ResourceKind, ObjectKind, ResourceDefinition } from './definition.js';

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

const project: ResourceKind = {
  ...standard,
  kind: 'project',
  object: Project,
  type: 'project',
  create: ProjectCreate,
  patch: ProjectPatch,
  uniqueWithin: 'organisation',
  filters: { project_name: 'name' },
};

const experiment: ResourceKind = {
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

const dataset: ResourceKind = {
  ...standard,
  kind: 'dataset',
  object: Dataset,
  type: 'dataset',
  create: DatasetCreate,
  patch: DatasetPatch,
  filters: { dataset_name: 'name', ...byProject },
};

const datasetSnapshot: ResourceKind = {
  ...standard,
  kind: 'dataset_snapshot',
  object: DatasetSnapshot,
  type: 'dataset',
  create: DatasetSnapshotCreate,
  patch: DatasetSnapshotPatch,
  uniqueWithin: 'dataset',
  filters: { dataset_snapshot_name: 'name', dataset_id: 'dataset_id' },
};

const prompt: ResourceKind = {
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

const functionKind: ResourceKind = {
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

const role: ResourceKind = {
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

export const resourceKinds: Readonly<Record<ObjectKind, ResourceKind>> = {
  project,
  experiment,
  dataset,
  dataset_snapshot: datasetSnapshot,
  prompt,
  function: functionKind,
  role,
  ...accessKinds,
};

export const resources: readonly ResourceDefinition[] = [
  { path: 'project', objects: project },
  { path: 'project_logs', events: 'project_logs', feedback: 'project_logs' },
  { path: 'experiment', objects: experiment, events: 'experiment', feedback: 'experiment' },
  { path: 'dataset', objects: dataset, events: 'dataset', feedback: 'dataset' },
  { path: 'dataset_snapshot', objects: datasetSnapshot },
  { path: 'prompt', objects: prompt, feedback: 'prompt' },
  { path: 'function', objects: functionKind },
  { path: 'role', objects: role },
  ...accessResources,
];
