// The interface, transcribed: every operation with its parameters, the fields of its body and of its answer.
// Beside what the interface names are the additions of reference-behaviour; nothing comes from the server's schemas.

import { sdkEndpoints, sdkShapes } from './sdk-endpoints.js';

/** Fields of an answer; a name with `?` may be left out. */
export const shapes = {
  Project: 'id org_id name description created deleted_at user_id settings',
  Experiment:
    'id project_id name description created repo_info? commit base_exp_id deleted_at dataset_id dataset_version public user_id metadata tags parameters_id? parameters_version? internal_metadata?',
  Dataset: 'id project_id name description created deleted_at user_id metadata tags',
  Prompt:
    'id _xact_id project_id log_id org_id name slug description created prompt_data tags metadata function_type?',
  Function:
    'id _xact_id project_id log_id org_id name slug description created prompt_data tags metadata function_type? function_data function_schema? origin?',
  'dataset snapshot': 'id dataset_id name description xact_id created',
  Role: 'id org_id user_id created name description deleted_at member_permissions member_roles',
  'project-log event':
    'id _xact_id created org_id project_id log_id input output expected error scores metadata tags metrics context span_id span_parents root_span_id span_attributes origin classifications is_root',
  'experiment event':
    'id dataset_record_id _xact_id created project_id experiment_id input output expected error scores metadata tags metrics context span_id span_parents root_span_id span_attributes origin classifications is_root',
  'dataset event':
    'id _xact_id created project_id dataset_id input expected error metadata tags span_id span_parents root_span_id origin classifications is_root',
  'row ids': 'row_ids',
  'row ids by object': 'project_logs? experiment? dataset?',
  'experiment summary':
    'project_name experiment_name project_url experiment_url comparison_experiment_name scores score_stats metrics',
  'dataset summary': 'project_name dataset_name project_url dataset_url data_summary',
  'dataset version': 'xact_id created rows_written rows_deleted',
  'query answer': 'data schema cursor? freshness freshness_state realtime_state warnings cluster?',
  'listed queries': 'objects slow',
  'running query': 'id query state user_id project_ids started elapsed_ms waited_ms',
  feedback: 'comments audit',
  retention: 'cutoff rows bytes',
  'started job': 'id',
  job: 'id kind state rows bytes started finished error',
  'feedback stored': 'status',
  'download address': 'url expires',
  'signed upload': 'signedUrl headers',
  attachment: 'downloadUrl status',
  version: 'version commit logs3_payload_max_bytes',
  ...sdkShapes,
  health: 'status',
  readiness: 'status',
  status:
    'version commit started last_xact_id buffered queries deleted_bytes disk maintenance bucket cluster projects',
  session: 'session expires user_id',
  'ended session': 'status',
  'export answer': 'partialSuccess?',
  'catalog config': 'defaults overrides',
  namespaces: 'namespaces',
  namespace: 'namespace properties',
  tables: 'identifiers',
  'OpenAPI document': 'openapi info servers tags paths components',
} as const;

export type Shape = keyof typeof shapes;

/**
 * - `one`: the shape itself
 * - `objects`, `events`: an object with a list of the shape, and the cursor of `events`
 * - `list`: an array of the shape
 * - `text`: plain text
 * - `nothing`: null
 * - `elsewhere`: needs a server with a bucket; spec/tables has its tests
 */
export interface Answer {
  readonly form: 'one' | 'objects' | 'events' | 'list' | 'text' | 'nothing' | 'elsewhere';
  readonly shape?: Shape;
}

export interface Endpoint {
  readonly operation: string;
  readonly query?: string;
  readonly body?: string;
  readonly headers?: string;
  readonly answer: Answer;
}

const below = (prefix: string, names: string): string =>
  names
    .split(' ')
    .map((name) => prefix + name)
    .join(' ');

const one = (shape: Shape): Answer => ({ form: 'one', shape });

const listParameters = 'limit starting_after ending_before ids org_name org_id id name';

const repoInfo = below(
  'repo_info.',
  'commit branch tag dirty author_name author_email commit_message commit_time git_diff',
);

const experimentPatch = `name description repo_info ${repoInfo} base_exp_id dataset_id dataset_version public metadata tags parameters_id parameters_version internal_metadata`;

const params = below(
  'prompt_data.options.params.',
  'use_cache temperature top_p frequency_penalty presence_penalty max_tokens n response_format response_format.type tool_choice function_call stop',
);

const promptData = `prompt_data ${below(
  'prompt_data.',
  'prompt prompt.type prompt.content options options.model options.position options.params origin origin.prompt_id origin.project_id origin.prompt_version',
)} ${params}`;

const recordInsert =
  'id input expected metadata tags created error origin classifications span_id root_span_id span_parents _object_delete _is_merge _merge_paths _array_delete _array_delete[].path _array_delete[].delete _parent_id inputs';

const spanInsert = `${recordInsert} output scores metrics ${below(
  'metrics.',
  'start end prompt_tokens completion_tokens tokens',
)} context ${below('context.', 'caller_functionname caller_filename caller_lineno')} span_attributes span_attributes.name span_attributes.type`;

const fetchParameters = 'limit cursor max_xact_id max_root_span_id version';

interface Kind {
  readonly name: string;
  readonly shape: Shape;
  readonly filters: string;
  readonly create: string;
  readonly patch?: string;
  /** Parameters of a read by id. */
  readonly read?: string;
}

const objects = ({ name, shape, filters, create, patch, read }: Kind): readonly Endpoint[] => [
  {
    operation: `GET /v1/${name}`,
    query: `${listParameters} ${filters}`,
    answer: { form: 'objects', shape },
  },
  { operation: `POST /v1/${name}`, body: create, answer: one(shape) },
  { operation: `PUT /v1/${name}`, body: create, answer: one(shape) },
  {
    operation: `GET /v1/${name}/{id}`,
    ...(read === undefined ? {} : { query: read }),
    answer: one(shape),
  },
  ...(patch === undefined
    ? []
    : [
        { operation: `PATCH /v1/${name}/{id}`, body: patch, answer: one(shape) },
        { operation: `DELETE /v1/${name}/{id}`, answer: one(shape) },
      ]),
];

const feedback = (kind: string, fields: string): readonly Endpoint[] => [
  {
    operation: `POST /v1/${kind}/{id}/feedback`,
    body: `feedback ${below('feedback[].', fields)}`,
    answer: one('feedback stored'),
  },
  {
    operation: `GET /v1/${kind}/{id}/feedback`,
    query: 'event_id version',
    answer: one('feedback'),
  },
];

const events = (kind: string, shape: Shape, insert: string): readonly Endpoint[] => [
  {
    operation: `POST /v1/${kind}/{id}/insert`,
    body: `events ${below('events[].', insert)}`,
    answer: one('row ids'),
  },
  {
    operation: `GET /v1/${kind}/{id}/fetch`,
    query: fetchParameters,
    answer: { form: 'events', shape },
  },
  {
    operation: `POST /v1/${kind}/{id}/fetch`,
    body: `${fetchParameters} filters ${below('filters[].', 'type path value')}`,
    answer: { form: 'events', shape },
  },
  { operation: `POST /v1/${kind}/{id}/purge`, body: 'filter ids', answer: one('started job') },
];

const retention = 'settings.retention_days settings.retention_kinds';

const spanFeedback = 'id scores expected comment metadata source tags';

const downloadBody = 'query fmt types tz_offset version audit_log use_columnstore';
const queryBody = `${downloadBody} explain`;

const exportOfSpans = {
  headers: 'x-bt-parent',
  body: 'resourceSpans',
  answer: one('export answer'),
} as const;

export const endpoints: readonly Endpoint[] = [
  { operation: 'GET /health', answer: one('health') },
  { operation: 'GET /ready', answer: one('readiness') },
  { operation: 'GET /version', answer: one('version') },
  { operation: 'GET /openapi.json', answer: one('OpenAPI document') },
  { operation: 'GET /status', answer: one('status') },
  { operation: 'GET /metrics', answer: { form: 'text' } },
  { operation: 'POST /app/session', answer: one('session') },
  { operation: 'DELETE /app/session', answer: one('ended session') },
  { operation: 'POST /query', body: queryBody, answer: one('query answer') },
  { operation: 'POST /btql', body: queryBody, answer: one('query answer') },
  { operation: 'POST /query/download', body: downloadBody, answer: one('download address') },
  { operation: 'GET /query/download', query: 'token', answer: one('query answer') },
  { operation: 'GET /v1/queries', answer: one('listed queries') },
  { operation: 'DELETE /v1/queries/{id}', answer: one('running query') },
  {
    operation: 'POST /v1/experiment/{id}/query',
    body: 'query fmt types tz_offset version use_columnstore',
    answer: one('query answer'),
  },
  {
    operation: 'POST /v1/insert',
    body: 'project_logs project_logs.*.events experiment experiment.*.events dataset dataset.*.events',
    answer: one('row ids by object'),
  },
  ...objects({
    name: 'project',
    shape: 'Project',
    filters: 'project_name',
    create: `name description settings ${retention} org_name project_group_name`,
    patch: `name description settings ${retention} user_id`,
  }),
  { operation: 'GET /v1/project/{id}/retention', answer: one('retention') },
  { operation: 'POST /v1/project/{id}/retention', answer: one('started job') },
  { operation: 'GET /v1/job/{id}', answer: one('job') },
  ...events('project_logs', 'project-log event', spanInsert),
  ...feedback('project_logs', spanFeedback),
  ...objects({
    name: 'experiment',
    shape: 'Experiment',
    filters: 'experiment_name project_name project_id',
    create: `project_id ${experimentPatch} ensure_new ancestor_commits base_experiment_id org_name`,
    patch: experimentPatch,
  }),
  ...events('experiment', 'experiment event', `${spanInsert} dataset_record_id`),
  ...feedback('experiment', spanFeedback),
  {
    operation: 'GET /v1/experiment/{id}/summarize',
    query: 'summarize_scores comparison_experiment_id filter tz_offset version',
    answer: one('experiment summary'),
  },
  ...objects({
    name: 'dataset',
    shape: 'Dataset',
    filters: 'dataset_name project_name project_id',
    create: 'name project_id description metadata tags org_name',
    patch: 'name description metadata tags',
  }),
  ...events('dataset', 'dataset event', `${recordInsert} output`),
  ...feedback('dataset', 'id comment metadata source tags'),
  {
    operation: 'GET /v1/dataset/{id}/summarize',
    query: 'summarize_data',
    answer: one('dataset summary'),
  },
  {
    operation: 'GET /v1/dataset/{id}/versions',
    query: 'limit starting_after ending_before',
    answer: { form: 'objects', shape: 'dataset version' },
  },
  ...objects({
    name: 'prompt',
    shape: 'Prompt',
    filters: 'prompt_name project_name project_id slug version',
    create: `project_id name slug description ${promptData} tags metadata function_type org_name environment_slugs`,
    patch: `name slug description ${promptData} tags metadata function_type`,
    read: 'version',
  }),
  ...feedback('prompt', 'id comment metadata source tags'),
  ...objects({
    name: 'function',
    shape: 'Function',
    filters: 'function_name project_name project_id slug function_type version',
    create: `project_id name slug description ${promptData} tags metadata function_type function_data function_data.type function_schema origin org_name`,
    patch: `name slug description ${promptData} tags metadata function_type function_data function_data.type`,
    read: 'version',
  }),
  ...objects({
    name: 'dataset_snapshot',
    shape: 'dataset snapshot',
    filters: 'dataset_snapshot_name dataset_id',
    create: 'dataset_id name description xact_id',
    patch: 'name description',
  }),
  ...objects({
    name: 'role',
    shape: 'Role',
    filters: 'role_name',
    create: `name description member_permissions ${below('member_permissions[].', 'permission restrict_object_type')} member_roles org_name`,
  }),
  {
    operation: 'POST /attachment',
    body: 'key filename content_type org_id',
    answer: one('signed upload'),
  },
  {
    operation: 'GET /attachment',
    query: 'key filename content_type org_id url',
    answer: one('attachment'),
  },
  {
    operation: 'GET /v1/experiment/{id}/attachment',
    query: 'key filename',
    answer: one('attachment'),
  },
  {
    operation: 'POST /attachment/status',
    body: 'key org_id status status.upload_status status.error_message',
    answer: { form: 'nothing' },
  },
  // Without the token of a signed address they are refused like requests without a key.
  { operation: 'PUT /attachment/upload', query: 'token', answer: { form: 'nothing' } },
  { operation: 'GET /attachment/download', query: 'token', answer: { form: 'nothing' } },
  ...sdkEndpoints({ below, one, repoInfo, promptData, spanInsert }),
  { operation: 'POST /otel/v1/traces', ...exportOfSpans },
  { operation: 'POST /v1/traces', ...exportOfSpans },
  { operation: 'GET /iceberg/v1/config', answer: one('catalog config') },
  { operation: 'GET /iceberg/v1/namespaces', answer: one('namespaces') },
  { operation: 'GET /iceberg/v1/namespaces/{namespace}', answer: one('namespace') },
  { operation: 'GET /iceberg/v1/namespaces/{namespace}/tables', answer: one('tables') },
  {
    operation: 'GET /iceberg/v1/namespaces/{namespace}/tables/events',
    answer: { form: 'elsewhere' },
  },
  {
    operation: 'POST /iceberg/v1/namespaces/{namespace}/tables/events/metrics',
    answer: { form: 'nothing' },
  },
];

export const wordsIn = (names: string | undefined): readonly string[] =>
  names === undefined ? [] : names.split(' ');
