// The operations by which SDKs create and find projects, experiments and datasets.
import { Type } from 'typebox';
import { memberOf } from '../../json/tree.js';
import { resourceKinds } from '../../schema/resources/table.js';
import { Dataset, Experiment, Project } from '../../schema/object.js';
import {
  BaseExperiment,
  BaseExperimentGet,
  DatasetGet,
  DatasetRegister,
  ExperimentGet,
  ExperimentRegister,
  NamedProject,
  ProjectGet,
  ProjectId,
  ProjectRegister,
  RegisteredDataset,
  RegisteredExperiment,
  RegisteredProject,
} from '../../schema/sdk.js';
import { jsonReply } from '../../service/reply.js';
import { datasetById, registerDataset } from '../../service/sdk/datasets.js';
import {
  baseExperiment,
  experimentByName,
  registerExperiment,
} from '../../service/sdk/experiments.js';
import { nameOfProject, projectById, registerProject } from '../../service/sdk/projects.js';
import { createOperation } from '../object-operations.js';
import { operation, type DocumentedOperation } from '../operation.js';
import { post } from './operation.js';

const group = 'SDKs';

const creation = createOperation('/v1/project/register', resourceKinds.project);

const projectOperations: readonly DocumentedOperation[] = [
  // The path of LiteLLM.
  { ...creation, about: { ...creation.about, name: 'createProjectForSdk', isDeprecated: true } },
  post('/api/project/register', {
    name: 'registerProject',
    group,
    summary: 'Return the project of this name, or create it',
    body: ProjectRegister,
    answer: RegisteredProject,
    run: ({ services, caller }, body) => registerProject(services, caller, body),
  }),
  operation('get', '/api/project', {
    name: 'getProjectName',
    group,
    summary: 'Name of a project',
    query: ProjectId,
    answer: NamedProject,
    run: ({ services, caller, query }) => nameOfProject(services, caller, query['id'] as string),
  }),
  post('/api/project/get', {
    name: 'getProjectAsList',
    group,
    summary: 'Read a project, as the one element of an array',
    body: ProjectGet,
    answer: Type.Array(Project),
    run: async ({ services, caller }, body) =>
      jsonReply(`[${await projectById(services, caller, memberOf(body, 'id') as string)}]`),
  }),
];

export const registerOperations: readonly DocumentedOperation[] = [
  ...projectOperations,
  post('/api/experiment/register', {
    name: 'registerExperiment',
    group,
    summary: 'Create an experiment, and its project if it does not exist',
    body: ExperimentRegister,
    answer: RegisteredExperiment,
    run: ({ services, caller }, body) => registerExperiment(services, caller, body),
  }),
  post('/api/experiment/get', {
    name: 'findExperiment',
    group,
    summary: 'Find an experiment by name; returns an empty array if there is none',
    body: ExperimentGet,
    answer: Type.Array(Experiment),
    run: ({ services, caller }, body) => experimentByName(services, caller, body),
  }),
  post('/api/base_experiment/get_id', {
    name: 'getBaseExperiment',
    group,
    summary: 'Return the base experiment of an experiment; 400 if there is none',
    body: BaseExperimentGet,
    answer: BaseExperiment,
    run: ({ services, caller }, body) =>
      baseExperiment(services, caller, memberOf(body, 'id') as string),
  }),
  post('/api/dataset/register', {
    name: 'registerDataset',
    group,
    summary: 'Return the dataset of this name, or create it',
    body: DatasetRegister,
    answer: RegisteredDataset,
    run: ({ services, caller }, body) => registerDataset(services, caller, body),
  }),
  post('/api/dataset/get', {
    name: 'findDataset',
    group,
    summary: 'Find a dataset by id; returns an empty array if there is none',
    body: DatasetGet,
    answer: Type.Array(Dataset),
    run: ({ services, caller }, body) =>
      datasetById(services, caller, memberOf(body, 'id') as string),
  }),
];
