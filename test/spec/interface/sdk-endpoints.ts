// What the published SDKs call beside the interface, transcribed: see endpoints.ts.
import type { Answer, Endpoint, Shape } from './endpoints.js';

export const sdkShapes = {
  login: 'org_info',
  identity: 'id org_id org_name',
  'registered project': 'project',
  'named project': 'name project',
  'registered experiment': 'project experiment',
  'registered dataset': 'project dataset found_existing',
  'base experiment': 'base_exp_id base_exp_name',
  'object info': 'object_id object_name parent_cols',
  'logged rows': 'ids xact_id errors?',
  comparison: 'scores metrics',
  'record count': 'total_records',
  'inserted functions': 'functions',
  'registered snapshot': 'dataset_snapshot found_existing',
  'restore preview': 'rows_to_restore rows_to_delete',
  restored: 'xact_id rows_restored rows_deleted',
} as const;

/** What is built from the words of the interface. */
interface Words {
  readonly below: (prefix: string, names: string) => string;
  readonly one: (shape: Shape) => Answer;
  readonly repoInfo: string;
  readonly promptData: string;
  readonly spanInsert: string;
}

const list = (shape: Shape): Answer => ({ form: 'list', shape });

const text: Answer = { form: 'text' };

const project = 'project_id project_name org_id';

export const sdkEndpoints = (words: Words): readonly Endpoint[] => {
  const { below, one, repoInfo, promptData, spanInsert } = words;
  const row = `experiment_id dataset_id project_id log_id ${spanInsert.replace(' inputs', '')} dataset_record_id comment comment.text _audit_source _audit_metadata`;
  const item = `project_id name slug description function_data function_data.type function_schema ${promptData} function_type tags metadata environments if_exists`;
  return [
    { operation: 'POST /api/apikey/login', answer: one('login') },
    { operation: 'GET /ping', answer: one('identity') },
    { operation: 'GET /v1', answer: text },
    { operation: 'GET /xact-id', answer: text },
    {
      operation: 'POST /api/self/get_object_info',
      body: 'object_type object_ids',
      answer: list('object info'),
    },
    {
      operation: 'POST /api/project/register',
      body: 'project_name org_id',
      answer: one('registered project'),
    },
    {
      operation: 'POST /v1/project/register',
      body: 'name description settings settings.retention_days settings.retention_kinds org_name project_group_name',
      answer: one('Project'),
    },
    { operation: 'GET /api/project', query: 'id', answer: one('named project') },
    { operation: 'POST /api/project/get', body: 'id', answer: list('Project') },
    {
      operation: 'POST /api/experiment/register',
      body: `${project} experiment_name update description repo_info ${repoInfo} ancestor_commits base_exp_id base_experiment dataset_id dataset_version public metadata tags parameters_id parameters_version internal_metadata`,
      answer: one('registered experiment'),
    },
    {
      operation: 'POST /api/experiment/get',
      body: 'project_id project_name org_name experiment_name',
      answer: list('Experiment'),
    },
    {
      operation: 'POST /api/base_experiment/get_id',
      body: 'id',
      answer: one('base experiment'),
    },
    {
      operation: 'POST /api/dataset/register',
      body: `${project} dataset_name description metadata`,
      answer: one('registered dataset'),
    },
    { operation: 'POST /api/dataset/get', body: 'id', answer: list('Dataset') },
    {
      operation: 'POST /logs3',
      body: `rows ${below('rows[].', row)}`,
      answer: one('logged rows'),
    },
    {
      operation: 'GET /experiment-comparison2',
      query: 'experiment_id base_experiment_id',
      answer: one('comparison'),
    },
    { operation: 'GET /dataset-summary', query: 'dataset_id', answer: one('record count') },
    {
      operation: 'POST /insert-functions',
      body: `functions ${below('functions[].', item)}`,
      answer: one('inserted functions'),
    },
    {
      operation: 'POST /api/dataset_snapshot/register',
      body: 'dataset_id dataset_snapshot_name description xact_id update',
      answer: one('registered snapshot'),
    },
    {
      operation: 'POST /api/dataset_snapshot/get',
      body: 'dataset_id name xact_id',
      answer: list('dataset snapshot'),
    },
    {
      operation: 'POST /api/dataset_snapshot/patch_id',
      body: 'id name description',
      answer: one('dataset snapshot'),
    },
    {
      operation: 'POST /api/dataset_snapshot/delete_id',
      body: 'id',
      answer: one('dataset snapshot'),
    },
    {
      operation: 'POST /v1/dataset/{id}/restore',
      body: 'version',
      answer: one('restored'),
    },
    {
      operation: 'POST /v1/dataset/{id}/restore/preview',
      body: 'version',
      answer: one('restore preview'),
    },
  ];
};
