// The table of resource kinds. Routes, validation and the catalog use it.
import { FunctionCreate, FunctionPatch, StoredFunction } from '../schema/function.js';
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
} from '../schema/object.js';
import { accessFacets, accessResources } from './access-table.js';
import type { Method, ObjectFacet, ObjectKind, ResourceDefinition } from './definition.js';

const allMethods: readonly Method[] = ['list', 'create', 'put', 'read', 'patch', 'delete'];

const project: ObjectFacet = {
  kind: 'project',
  object: Project,
  type: 'project',
  methods: allMethods,
  create: ProjectCreate,
  patch: ProjectPatch,
  uniqueBy: 'name',
  uniqueWithin: 'organisation',
  references: {},
  put: 'create',
  isVersioned: false,
  filters: { project_name: 'name' },
};

const experiment: ObjectFacet = {
  kind: 'experiment',
  object: Experiment,
  type: 'experiment',
  methods: allMethods,
  create: ExperimentCreate,
  patch: ExperimentPatch,
  uniqueBy: 'name',
  uniqueWithin: 'project',
  references: { base_exp_id: 'experiment', dataset_id: 'dataset' },
  put: 'create',
  isVersioned: false,
  filters: {
    experiment_name: 'name',
    project_name: 'project.name',
    project_id: 'project_id',
  },
};

const dataset: ObjectFacet = {
  kind: 'dataset',
  object: Dataset,
  type: 'dataset',
  methods: allMethods,
  create: DatasetCreate,
  patch: DatasetPatch,
  uniqueBy: 'name',
  uniqueWithin: 'project',
  references: {},
  put: 'create',
  isVersioned: false,
  filters: { dataset_name: 'name', project_name: 'project.name', project_id: 'project_id' },
};

const datasetSnapshot: ObjectFacet = {
  kind: 'dataset_snapshot',
  object: DatasetSnapshot,
  type: 'dataset',
  methods: allMethods,
  create: DatasetSnapshotCreate,
  patch: DatasetSnapshotPatch,
  uniqueBy: 'name',
  uniqueWithin: 'dataset',
  references: {},
  put: 'create',
  isVersioned: false,
  filters: { dataset_snapshot_name: 'name', dataset_id: 'dataset_id' },
};

const prompt: ObjectFacet = {
  kind: 'prompt',
  object: Prompt,
  type: 'prompt',
  methods: allMethods,
  create: PromptCreate,
  patch: PromptPatch,
  uniqueBy: 'slug',
  uniqueWithin: 'project',
  references: {},
  put: 'replace',
  isVersioned: true,
  filters: {
    prompt_name: 'name',
    project_name: 'project.name',
    project_id: 'project_id',
    slug: 'slug',
  },
};

const functionFacet: ObjectFacet = {
  kind: 'function',
  object: StoredFunction,
  type: 'prompt',
  methods: allMethods,
  create: FunctionCreate,
  patch: FunctionPatch,
  uniqueBy: 'slug',
  uniqueWithin: 'project',
  references: {},
  put: 'replace',
  isVersioned: true,
  filters: {
    function_name: 'name',
    project_name: 'project.name',
    project_id: 'project_id',
    slug: 'slug',
    function_type: 'function_type',
  },
  alsoShows: 'prompt',
};

const role: ObjectFacet = {
  kind: 'role',
  object: Role,
  type: 'role',
  methods: allMethods,
  create: RoleCreate,
  patch: RolePatch,
  uniqueBy: 'name',
  uniqueWithin: 'organisation',
  references: { member_roles: 'role' },
  put: 'create',
  isVersioned: false,
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
  {
    path: 'project_logs',
    events: { kind: 'project_logs' },
    feedback: 'project_logs',
  },
  {
    path: 'experiment',
    objects: experiment,
    events: { kind: 'experiment' },
    feedback: 'experiment',
  },
  {
    path: 'dataset',
    objects: dataset,
    events: { kind: 'dataset' },
    feedback: 'dataset',
  },
  { path: 'dataset_snapshot', objects: datasetSnapshot },
  { path: 'prompt', objects: prompt, feedback: 'prompt' },
  { path: 'function', objects: functionFacet },
  { path: 'role', objects: role },
  ...accessResources,
];
