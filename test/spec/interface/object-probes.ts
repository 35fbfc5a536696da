// Fields of the bodies that create and change objects.
import { expect } from 'chai';
import {
  create,
  idOf,
  newProject,
  probesOf,
  refused,
  send,
  shownBy,
  unique,
  type Client,
  type Json,
  type Probe,
} from './probe.js';

export const repoInfo = {
  commit: 'c0ffee',
  branch: 'main',
  tag: 'v1',
  dirty: true,
  author_name: 'A. Author',
  author_email: 'author@localhost',
  commit_message: 'message',
  commit_time: '2024-01-01T00:00:00Z',
  git_diff: '+ line',
};

export const promptData = {
  prompt: { type: 'completion', content: 'Answer: {{input}}' },
  options: {
    model: 'some-model',
    position: 'a',
    params: {
      use_cache: true,
      temperature: 0.5,
      top_p: 0.9,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      max_tokens: 100,
      n: 2,
      response_format: { type: 'json_object' },
      tool_choice: 'auto',
      function_call: 'auto',
      stop: ['end'],
    },
  },
  origin: { prompt_id: 'p', project_id: 'q', prompt_version: 'r' },
};

const description = 'what it is';
const metadata = { any: ['value', 1] };
const tags = ['one', 'two'];

/** Makes a value that has to be new, or that names an object. */
type Make = (client: Client, project_id: string) => unknown;

const project_id: Make = (_client, project) => project;

const named =
  (word: string): Make =>
  () =>
    unique(word);

const newIn =
  (kind: string): Make =>
  async (client, project) =>
    idOf(await create(client, kind, { project_id: project }));

/** What can be sent as each field, and is then answered as it is. */
const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  project: {
    name: named('project'),
    description,
    settings: { theme: 'dark', retention_days: 9, retention_kinds: ['dataset'] },
  },
  experiment: {
    project_id,
    name: named('experiment'),
    description,
    repo_info: repoInfo,
    base_exp_id: newIn('experiment'),
    dataset_id: newIn('dataset'),
    dataset_version: '1000192656880881099',
    public: true,
    metadata,
    tags,
    parameters_id: 'parameters',
    parameters_version: '1000192656880881099',
    internal_metadata: { filter: 'all' },
  },
  dataset: { project_id, name: named('dataset'), description, metadata, tags },
  prompt: {
    project_id,
    name: named('prompt'),
    slug: named('slug'),
    description,
    prompt_data: promptData,
    tags,
    metadata,
    function_type: 'scorer',
  },
  function: {
    project_id,
    name: named('function'),
    slug: named('slug'),
    description,
    prompt_data: promptData,
    tags,
    metadata,
    function_type: 'parameters',
    function_data: { type: 'parameters', data: { depth: 1 } },
    function_schema: { parameters: { type: 'object' }, returns: { type: 'string' } },
    origin: { object_type: 'project', object_id: 'p', internal: false },
  },
  dataset_snapshot: {
    dataset_id: newIn('dataset'),
    name: named('snapshot'),
    description,
    xact_id: '1000192656880881099',
  },
  role: {
    name: named('role'),
    description,
    member_permissions: [{ permission: 'create', restrict_object_type: 'organization' }],
    member_roles: async (client: Client) => [idOf(await create(client, 'role'))],
  },
};

async function bodyOf(client: Client, kind: string): Promise<Json> {
  const project = await newProject(client);
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values[kind]!))
    body[name] = typeof value === 'function' ? await (value as Make)(client, project) : value;
  return body;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parts = (prefix: string, value: Json): readonly string[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    [`${prefix}${name}`].concat(isObject(inner) ? parts(`${prefix}${name}.`, inner) : []),
  );

/** The fields inside of a field. */
const inner: Readonly<Record<string, readonly string[]>> = {
  settings: ['settings.retention_days', 'settings.retention_kinds'],
  repo_info: parts('repo_info.', repoInfo),
  prompt_data: parts('prompt_data.', promptData),
  function_data: ['function_data.type'],
  member_permissions: ['permission', 'restrict_object_type'].map(
    (name) => `member_permissions[].${name}`,
  ),
};

const namesOf = (kind: string): readonly string[] =>
  Object.keys(values[kind]!).flatMap((name) => [name].concat(inner[name] ?? []));

/** The fields that the body has in common with it. */
const pick = (object: Json, body: Json): Json =>
  Object.fromEntries(Object.keys(body).map((name) => [name, object[name]]));

async function answersAll(client: Client, kind: string, operation: string): Promise<void> {
  const body = await bodyOf(client, kind);
  const object = await send(client, operation, body);
  expect(pick(object, body)).to.deep.equal(body);
  const read = await send(client, `GET /v1/${kind}/{id}`, undefined, idOf(object));
  expect(pick(read, body)).to.deep.equal(body);
}

async function changesAll(client: Client, kind: string): Promise<void> {
  const before = await bodyOf(client, kind);
  const fixed = unchangeable(kind);
  const given = Object.entries(await bodyOf(client, kind));
  const body = Object.fromEntries(given.filter(([name]) => !fixed.includes(name)));
  const bare = pick(before, Object.fromEntries(fixed.map((name) => [name, 0])));
  const data = {
    ...(kind === 'function' ? { function_data: { type: 'other' } } : {}),
    ...('slug' in before ? { slug: before['slug'] } : {}),
  };
  const object = await send(client, `POST /v1/${kind}`, { ...bare, ...data, name: before['name'] });
  const changed = await send(client, `PATCH /v1/${kind}/{id}`, body, idOf(object));
  expect(pick(changed, body)).to.deep.equal(body);
}

const fixedFields: Readonly<Record<string, readonly string[]>> = {
  dataset_snapshot: ['dataset_id', 'xact_id'],
  function: ['project_id', 'function_schema', 'origin'],
};

const unchangeable = (kind: string): readonly string[] => {
  const fixed = fixedFields[kind] ?? ['project_id'];
  return namesOf(kind).filter((name) => fixed.includes(name));
};

/** Another organisation is refused, so that the field is seen to be read. */
const organisationProbe = (operation: string, kind: string): readonly Probe[] =>
  probesOf(operation, 'body', {
    org_name: refused(operation, async (client) => ({
      ...(await bodyOf(client, kind)),
      org_name: unique('organisation'),
    })),
  });

/** Fields that are checked, and have no effect. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  project: ['project_group_name'],
  prompt: ['environment_slugs'],
};

const ignoredProbes = (operation: string, kind: string): readonly Probe[] =>
  (ignored[kind] ?? []).flatMap((name) =>
    probesOf(operation, 'body', {
      [name]: refused(operation, async (client) => ({
        ...(await bodyOf(client, kind)),
        [name]: 1,
      })),
    }),
  );

const newExperimentProbes = (operation: string): readonly Probe[] =>
  probesOf(operation, 'body', {
    ancestor_commits: async (client) => {
      const project_id = await newProject(client);
      const base = await create(client, 'experiment', { project_id, repo_info: { commit: 'a' } });
      const made = await send(client, operation, { project_id, ancestor_commits: ['b', 'a'] });
      expect(made['base_exp_id']).to.equal(idOf(base));
    },
    base_experiment_id: async (client) => {
      const project_id = await newProject(client);
      const base = idOf(await create(client, 'experiment', { project_id }));
      const made = await send(client, operation, { project_id, base_experiment_id: base });
      expect(made['base_exp_id']).to.equal(base);
    },
    ensure_new: async (client) => {
      const body = { project_id: await newProject(client), name: 'taken' };
      const first = await create(client, 'experiment', body);
      const second = await send(client, operation, { ...body, ensure_new: true });
      expect(idOf(second)).not.to.equal(idOf(first));
    },
  });

const creation = (operation: string, kind: string): readonly Probe[] => [
  ...probesOf(
    operation,
    'body',
    shownBy((client) => answersAll(client, kind, operation), namesOf(kind)),
  ),
  ...(kind === 'dataset_snapshot' ? [] : organisationProbe(operation, kind)),
  ...ignoredProbes(operation, kind),
  ...(kind === 'experiment' ? newExperimentProbes(operation) : []),
];

const creations = (method: string): readonly Probe[] =>
  Object.keys(values).flatMap((kind) => creation(`${method} /v1/${kind}`, kind));

const changes = (kind: string): readonly Probe[] => {
  const whole = (client: Client) => changesAll(client, kind);
  const fixed = unchangeable(kind);
  const names = namesOf(kind).filter((name) => !fixed.includes(name));
  return probesOf(`PATCH /v1/${kind}/{id}`, 'body', shownBy(whole, names));
};

export const objectProbes: readonly Probe[] = [
  ...['POST', 'PUT'].flatMap(creations),
  ...creation('POST /v1/project/register', 'project'),
  ...Object.keys(values)
    .filter((kind) => kind !== 'role')
    .flatMap(changes),
  ...probesOf('PATCH /v1/project/{id}', 'body', {
    user_id: async (client) => {
      const path = `/v1/project/${await newProject(client)}`;
      expect((await client.request('PATCH', path, { user_id: 1 })).status).to.equal(400);
    },
  }),
];
