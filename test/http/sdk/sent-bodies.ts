// Requests of the published SDKs: every field and parameter that a version of them sends to a route that there is. From the sources of
// braintrust 0.0.180, 0.33.0 and 0.48.1 for Python, with the REST client in the last one, braintrust-api 0.6.0, braintrust 0.0.140 and
// 3.35.0 for JavaScript, and the SDKs for Go 0.1.0 and Java 0.3.6.

/** The objects that the requests are about, and a name that differs in each request. */
export interface Sent {
  readonly org_id: string;
  readonly org_name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly experiment_id: string;
  readonly dataset_id: string;
  readonly prompt_id: string;
  readonly user_id: string;
  readonly name: string;
}

type Body = Readonly<Record<string, unknown>>;

export interface SentRequest {
  /** A method and a path. */
  readonly operation: string;
  readonly body?: Body;
  /** The fields of the answer that are not those that were sent. */
  readonly others?: string;
}

const repo_info = { commit: 'c0ffee', branch: 'main', tag: null, dirty: true, git_diff: null };

const prompt_data = {
  prompt: { type: 'chat', messages: [{ role: 'system', content: '{{input}}' }], tools: '[]' },
  options: { model: 'm', params: { temperature: 0, max_tokens: 5, response_format: null } },
  parser: { type: 'llm_classifier', use_cot: true, choice_scores: { a: 1 } },
  tool_functions: [],
  template_format: 'mustache',
  origin: { prompt_id: 'p', project_id: 'q', prompt_version: 'r' },
};

const list = (kind: string, { org_name }: Sent, more = ''): SentRequest => ({
  operation: `GET /v1/${kind}?limit=1&org_name=${encodeURIComponent(org_name)}${more}`,
});

const lists = (sent: Sent): readonly SentRequest[] => {
  const { org_id, project_id, project_name } = sent;
  const inProject = `&project_id=${project_id}&project_name=${encodeURIComponent(project_name)}`;
  return [
    list('project', sent, `&org_id=${org_id}&project_name=p`),
    list('experiment', sent, `&experiment_name=e${inProject}`),
    list('dataset', sent, `&dataset_name=d${inProject}`),
    list('dataset_snapshot', sent, '&dataset_snapshot_name=s'),
    list('prompt', sent, `&prompt_name=p&slug=s&version=1000192656880881099${inProject}`),
    list('function', sent, `&function_name=f&slug=s&version=1000192656880881099${inProject}`),
    ...['role', 'group', 'api_key', 'service_token'].map((kind) =>
      list(kind, sent, `&${kind}_name=n`),
    ),
    list('user', sent, '&given_name=a&family_name=b&email=c'),
    { operation: `GET /v1/organization?limit=1&org_name=o` },
    { operation: `GET /v1/acl?limit=1&object_type=project&object_id=${project_id}` },
  ];
};

const creations = ({ name, org_name, project_id, ...sent }: Sent): readonly SentRequest[] => {
  const description = 'd';
  const tags = ['t'];
  const metadata = { a: 1 };
  const prompt = { project_id, name, slug: name, description, prompt_data, tags };
  const functionBody = {
    ...prompt,
    function_type: 'scorer',
    function_data: { type: 'global', name: 'Levenshtein' },
    function_schema: { parameters: { type: 'object' }, returns: null },
    origin: { object_type: 'project', object_id: project_id, internal: false },
  };
  const experiment = {
    project_id,
    name,
    description,
    repo_info,
    tags,
    metadata,
    public: false,
    base_exp_id: sent.experiment_id,
    base_experiment_id: sent.experiment_id,
    dataset_id: sent.dataset_id,
    dataset_version: '1',
    parameters_id: 'p',
    parameters_version: '1',
    internal_metadata: {},
    ensure_new: true,
    ancestor_commits: ['c0ffee'],
  };
  return [
    {
      operation: 'POST /v1/project',
      body: { name, description, org_name, project_group_name: 'g' },
      others: 'org_name project_group_name',
    },
    { operation: 'POST /v1/project/register', body: { name } },
    {
      operation: 'POST /v1/experiment',
      body: experiment,
      others: 'base_experiment_id ensure_new ancestor_commits name',
    },
    { operation: 'POST /v1/dataset', body: { project_id, name, description, metadata, tags } },
    {
      operation: 'POST /v1/dataset_snapshot',
      body: { dataset_id: sent.dataset_id, name, description, xact_id: '1' },
    },
    {
      operation: 'POST /v1/prompt',
      body: { ...prompt, function_type: 'llm', environment_slugs: ['production'] },
      others: 'environment_slugs',
    },
    { operation: 'POST /v1/function', body: functionBody },
    { operation: 'PUT /v1/function', body: functionBody },
    {
      operation: 'POST /v1/role',
      body: {
        name,
        description,
        org_name,
        member_roles: [],
        member_permissions: [{ permission: 'read', restrict_object_type: 'project' }],
      },
      others: 'org_name',
    },
    {
      operation: 'POST /v1/group',
      body: { name, description, org_name, member_users: [sent.user_id], member_groups: [] },
      others: 'org_name',
    },
  ];
};

const changes = (sent: Sent): readonly SentRequest[] => [
  {
    operation: `PATCH /v1/project/${sent.project_id}`,
    body: { name: sent.project_name, settings: { comparison_key: 'input' }, user_id: sent.user_id },
  },
  {
    operation: `PATCH /v1/experiment/${sent.experiment_id}`,
    body: { description: 'd', repo_info: {}, metadata: {}, tags: [], public: false },
    others: 'repo_info',
  },
  {
    operation: `PATCH /v1/dataset/${sent.dataset_id}`,
    body: { name: sent.name, description: 'd', metadata: {}, tags: [] },
  },
  {
    operation: `PATCH /v1/prompt/${sent.prompt_id}`,
    body: { name: 'p', slug: sent.name, description: 'd', prompt_data, tags: [] },
  },
  {
    operation: `PATCH /v1/organization/${sent.org_id}`,
    body: {
      api_url: 'a',
      proxy_url: 'p',
      realtime_url: 'r',
      is_universal_api: true,
      image_rendering_mode: 'auto',
      is_dataplane_private: false,
    },
    others: 'image_rendering_mode is_dataplane_private',
  },
  {
    operation: 'PATCH /v1/organization/members',
    body: {
      invite_users: {
        ids: [],
        emails: [],
        group_ids: [],
        group_names: [],
        send_invite_emails: false,
        project_group_id: sent.project_id,
        service_accounts: [
          { name: sent.name, token_name: 'token', token_expires_in_seconds: 3600 },
        ],
      },
      remove_users: { ids: [], emails: [] },
      org_id: sent.org_id,
      org_name: sent.org_name,
    },
    others: 'invite_users remove_users org_name',
  },
];

const event = {
  input: 1,
  output: 2,
  expected: 3,
  error: null,
  scores: { s: 0.5, t: null },
  tags: ['t'],
  metadata: { model: 'm' },
  metrics: { start: 1, end: 2, prompt_tokens: 1, completion_tokens: 1, tokens: 2 },
  context: { caller_functionname: 'f', caller_filename: 'n', caller_lineno: 1 },
  span_attributes: { name: 'n', type: 'llm', purpose: 'scorer', exec_counter: 0 },
  created: '2024-01-01T00:00:00Z',
};

const rows = (sent: Sent): readonly SentRequest[] => {
  const { experiment_id, dataset_id, project_id, org_id } = sent;
  const span = { span_id: 's', root_span_id: 'r', span_parents: ['r'], _is_merge: false };
  const origin = { object_type: 'dataset', object_id: dataset_id, id: 'b', _xact_id: '1' };
  return [
    {
      operation: `POST /v1/experiment/${experiment_id}/insert`,
      body: { events: [{ ...event, origin, _object_delete: false, _parent_id: null }] },
      others: 'events',
    },
    {
      operation: `POST /v1/project_logs/${project_id}/insert`,
      body: { events: [{ ...event, ...span, id: 'i', _merge_paths: null }] },
      others: 'events',
    },
    {
      operation: `POST /v1/dataset/${dataset_id}/insert`,
      body: { events: [{ id: 'r', input: 1, expected: 2, metadata: {}, tags: [], origin }] },
      others: 'events',
    },
    {
      operation: 'POST /logs3',
      body: {
        rows: [
          { ...event, ...span, id: 'a', project_id, log_id: 'g', org_id },
          { ...event, ...span, id: 'a', experiment_id, origin, _merge_paths: [['tags']] },
          { id: 'r', dataset_id, input: 1, expected: 2, is_root: true, facets: null },
          { id: 'r', dataset_id, _object_delete: true },
          {
            id: 'c',
            project_id,
            log_id: 'g',
            origin: { id: 'a' },
            comment: { text: 'x' },
            _audit_source: 'app',
            _audit_metadata: { user: 'u' },
          },
        ],
        api_version: 2,
      },
      others: 'rows api_version',
    },
    ...[`experiment/${experiment_id}`, `project_logs/${project_id}`].map((place) => ({
      operation: `POST /v1/${place}/feedback`,
      body: {
        feedback: [
          {
            id: place.startsWith('e') ? 'a' : 'i',
            scores: { s: 1 },
            expected: 1,
            comment: 'c',
            metadata: {},
            source: 'app',
            tags: ['t'],
          },
        ],
      },
      others: 'feedback',
    })),
    {
      operation: `POST /v1/experiment/${experiment_id}/fetch`,
      body: { limit: 1, cursor: null, max_xact_id: null, max_root_span_id: null, version: null },
      others: 'limit max_xact_id max_root_span_id version cursor',
    },
    { operation: `GET /v1/experiment/${experiment_id}/fetch?limit=1` },
    { operation: `GET /v1/experiment/${experiment_id}/summarize?summarize_scores=true` },
    { operation: `GET /v1/dataset/${dataset_id}/summarize?summarize_data=true` },
  ];
};

const registrations = (sent: Sent): readonly SentRequest[] => {
  const { org_id, project_id, project_name, name } = sent;
  const registered = {
    org_id,
    description: 'd',
    metadata: {},
    tags: [],
    experiment_name: name,
    repo_info,
    ancestor_commits: [],
    public: false,
    update: true,
    dataset_id: sent.dataset_id,
    dataset_version: '1',
    base_exp_id: sent.experiment_id,
    parameters_id: 'p',
    parameters_version: '1',
    internal_metadata: {},
  };
  const published = {
    project_id,
    name,
    slug: name,
    description: '',
    if_exists: 'replace',
    prompt_data,
    function_type: 'llm',
    tags: [],
    metadata: {},
    environments: [],
    function_data: { type: 'prompt' },
    function_schema: { parameters: {}, returns: {} },
  };
  const requests: Readonly<Record<string, Body>> = {
    'POST /api/apikey/login': { token: 't' },
    'POST /api/project/register': { project_name, org_id },
    'POST /api/project/get': { id: project_id },
    'POST /api/experiment/register': { ...registered, project_name },
    'POST /api/experiment/get': { project_name, org_name: sent.org_name, experiment_name: name },
    'POST /api/base_experiment/get_id': { id: sent.experiment_id },
    'POST /api/dataset/register': {
      org_id,
      project_name,
      dataset_name: name,
      description: 'd',
      metadata: {},
    },
    'POST /api/dataset/get': { id: sent.dataset_id, org_id },
    'POST /api/self/get_object_info': { object_type: 'dataset', object_ids: [sent.dataset_id] },
    'POST /api/dataset_snapshot/register': {
      dataset_id: sent.dataset_id,
      dataset_snapshot_name: name,
      description: null,
      xact_id: '1',
      update: true,
    },
    'POST /insert-functions': { functions: [published] },
    'POST /attachment': { key: name, filename: 'f', content_type: 'text/plain', org_id },
    'POST /btql': {
      query: `select: * | from: experiment('${sent.experiment_id}')`,
      fmt: 'json',
      use_columnstore: false,
      brainstore_realtime: true,
      tz_offset: 0,
      query_source: 'py_sdk_object_fetcher_dataset',
      version: null,
      audit_log: false,
    },
  };
  return Object.entries(requests).map(([operation, body]) => ({
    operation,
    body,
    others: Object.keys(body).join(' '),
  }));
};

export const sentRequests = (sent: Sent): readonly SentRequest[] =>
  [creations, changes, rows, registrations, lists].flatMap((part) => part(sent));
