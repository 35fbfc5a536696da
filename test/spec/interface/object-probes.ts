// Fields of the bodies that create and change objects.
import { expect } from 'chai';
import {
  create,
  eventObject,
  idOf,
  send,
  unique,
  type Client,
  type Json,
  type Probe,
} from './probe.js';

/** What can be sent as a field, and is then answered as it is. */
type Values = (client: Client) => Json | Promise<Json>;

const repoInfo = {
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

const values: Readonly<Record<string, Values>> = {
  project: () => ({ name: unique('project'), description, settings: { theme: 'dark' } }),
  experiment: async (client) => {
    const project_id = idOf(await create(client, 'project'));
    return {
      project_id,
      name: unique('experiment'),
      description,
      repo_info: repoInfo,
      base_exp_id: idOf(await create(client, 'experiment', { project_id })),
      dataset_id: idOf(await create(client, 'dataset', { project_id })),
      dataset_version: '1000192656880881099',
      public: true,
      metadata,
      tags,
      parameters_id: 'parameters',
      parameters_version: '1000192656880881099',
      internal_metadata: { filter: 'all' },
    };
  },
  dataset: async (client) => ({
    project_id: idOf(await create(client, 'project')),
    name: unique('dataset'),
    description,
    metadata,
    tags,
  }),
  prompt: async (client) => ({
    project_id: idOf(await create(client, 'project')),
    name: unique('prompt'),
    slug: unique('slug'),
    description,
    prompt_data: promptData,
    tags,
    function_type: 'scorer',
  }),
  function: async (client) => ({
    project_id: idOf(await create(client, 'project')),
    name: unique('function'),
    slug: unique('slug'),
    description,
    prompt_data: promptData,
    tags,
    metadata,
    function_type: 'parameters',
    function_data: { type: 'parameters', data: { depth: 1 } },
  }),
  dataset_snapshot: async (client) => ({
    dataset_id: await eventObject(client, 'dataset'),
    name: unique('snapshot'),
    description,
    xact_id: '1000192656880881099',
  }),
  role: async (client) => ({
    name: unique('role'),
    description,
    member_permissions: [{ permission: 'create', restrict_object_type: 'organization' }],
    member_roles: [idOf(await create(client, 'role'))],
  }),
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parts = (prefix: string, value: Json): readonly string[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    [`${prefix}${name}`].concat(isObject(inner) ? parts(`${prefix}${name}.`, inner) : []),
  );

/** Every name that a body has, those of the parts too. */
const names: Readonly<Record<string, readonly string[]>> = {
  project: ['name', 'description', 'settings'],
  experiment: [
    'project_id',
    'name',
    'description',
    'repo_info',
    ...parts('repo_info.', repoInfo),
    'base_exp_id',
    'dataset_id',
    'dataset_version',
    'public',
    'metadata',
    'tags',
    'parameters_id',
    'parameters_version',
    'internal_metadata',
  ],
  dataset: ['project_id', 'name', 'description', 'metadata', 'tags'],
  dataset_snapshot: ['dataset_id', 'name', 'description', 'xact_id'],
  function: [
    'project_id',
    'name',
    'slug',
    'description',
    'prompt_data',
    ...parts('prompt_data.', promptData),
    'tags',
    'metadata',
    'function_type',
    'function_data',
    'function_data.type',
  ],
  prompt: [
    'project_id',
    'name',
    'slug',
    'description',
    'prompt_data',
    ...parts('prompt_data.', promptData),
    'tags',
    'function_type',
  ],
  role: [
    'name',
    'description',
    'member_permissions',
    'member_permissions[].permission',
    'member_permissions[].restrict_object_type',
    'member_roles',
  ],
};

/** The fields that the body has in common with it. */
const pick = (object: Json, body: Json): Json =>
  Object.fromEntries(Object.keys(body).map((name) => [name, object[name]]));

async function answersAll(client: Client, kind: string, method: string): Promise<void> {
  const body = await values[kind]!(client);
  const object = await send(client, `${method} /v1/${kind}`, body);
  expect(pick(object, body)).to.deep.equal(body);
  const read = await send(client, `GET /v1/${kind}/{id}`, undefined, idOf(object));
  expect(pick(read, body)).to.deep.equal(body);
}

async function changesAll(client: Client, kind: string): Promise<void> {
  const before = await values[kind]!(client);
  const fixed = unchangeable(kind);
  const given = Object.entries(await values[kind]!(client));
  const body = Object.fromEntries(given.filter(([name]) => !fixed.includes(name)));
  const bare = pick(before, Object.fromEntries(fixed.map((name) => [name, 0])));
  const data = kind === 'function' ? { function_data: { type: 'other' } } : {};
  const object = await send(client, `POST /v1/${kind}`, { ...bare, ...data, name: before['name'] });
  const changed = await send(client, `PATCH /v1/${kind}/{id}`, body, idOf(object));
  expect(pick(changed, body)).to.deep.equal(body);
}

const unchangeable = (kind: string): readonly string[] => {
  const fixed = kind === 'dataset_snapshot' ? ['dataset_id', 'xact_id'] : ['project_id', 'slug'];
  return names[kind]!.filter((name) => fixed.includes(name));
};

const bodyProbe = (
  operation: string,
  name: string,
  run: (client: Client) => Promise<void>,
): Probe => ({ operation, place: 'body', name, run });

/** Another organisation is refused, so that the field is seen to be read. */
const organisationProbe = (method: string, kind: string): Probe =>
  bodyProbe(`${method} /v1/${kind}`, 'org_name', async (client) => {
    const body = { ...(await values[kind]!(client)), org_name: unique('organisation') };
    expect((await client.request(method, `/v1/${kind}`, body)).status).to.equal(400);
  });

const ensureNewProbe = (operation: string): Probe =>
  bodyProbe(operation, 'ensure_new', async (client) => {
    const project_id = idOf(await create(client, 'project'));
    const body = { project_id, name: 'taken', ensure_new: true };
    const first = await create(client, 'experiment', { project_id, name: 'taken' });
    expect(idOf(await send(client, operation, body))).not.to.equal(idOf(first));
  });

const creationFields = (kind: string, method: string): readonly Probe[] => {
  const whole = (client: Client) => answersAll(client, kind, method);
  return names[kind]!.map((name) => bodyProbe(`${method} /v1/${kind}`, name, whole));
};

const creations = (method: string): readonly Probe[] => [
  ...Object.keys(values).flatMap((kind) => creationFields(kind, method)),
  ...['project', 'experiment', 'dataset', 'prompt', 'function', 'role'].map((kind) =>
    organisationProbe(method, kind),
  ),
  ensureNewProbe(`${method} /v1/experiment`),
];

const changes = (kind: string): readonly Probe[] => {
  const whole = (client: Client) => changesAll(client, kind);
  return names[kind]!.filter((name) => !unchangeable(kind).includes(name)).map((name) =>
    bodyProbe(`PATCH /v1/${kind}/{id}`, name, whole),
  );
};

export const objectProbes: readonly Probe[] = [
  ...['POST', 'PUT'].flatMap(creations),
  ...['project', 'experiment', 'dataset', 'dataset_snapshot', 'prompt', 'function'].flatMap(
    changes,
  ),
];
