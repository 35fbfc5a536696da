// Fields of the rows that the SDKs write, and of the functions that they publish.
import { expect } from 'chai';
import { spanValues } from './insert-probes.js';
import { parts, promptData } from './object-probes.js';
import {
  eventObject,
  idOf,
  newProject,
  probesOf,
  rowsOf,
  send,
  shownBy,
  unique,
  type Client,
  type Json,
  type Probe,
  type Run,
} from './probe.js';

type Trials = Readonly<Record<string, Run>>;

const log = (client: Client, ...rows: readonly Json[]): Promise<Json> =>
  send(client, 'POST /logs3', { rows });

const rowValues: Json = { ...spanValues, dataset_record_id: 'record' };

async function keepsRow(client: Client): Promise<void> {
  const experiment_id = await eventObject(client, 'experiment');
  await log(client, { id: 'e', experiment_id, ...rowValues });
  const [row] = await rowsOf(client, 'experiment', experiment_id);
  expect(row).to.deep.include({ id: 'e', ...rowValues });
}

const innerNames = (name: string): readonly string[] =>
  Object.keys(rowValues[name] as Json)
    .filter((inner) => inner !== 'other')
    .map((inner) => `${name}.${inner}`);

const keptNames = [
  'id',
  'experiment_id',
  ...Object.keys(rowValues),
  ...['metrics', 'context', 'span_attributes'].flatMap(innerNames),
];

/** Rows of a new experiment after these, each with the id `e` unless it has another. */
async function logged(client: Client, ...rows: readonly Json[]): Promise<readonly Json[]> {
  const experiment_id = await eventObject(client, 'experiment');
  for (const row of rows) await log(client, { id: 'e', experiment_id, ...row });
  return rowsOf(client, 'experiment', experiment_id);
}

async function said(client: Client, row: Json): Promise<Json> {
  const experiment_id = await eventObject(client, 'experiment');
  await log(client, { id: 'e', experiment_id });
  await log(client, { experiment_id, ...row });
  return send(client, 'GET /v1/experiment/{id}/feedback', undefined, experiment_id);
}

const first = (answer: Json, name: string): Json | undefined =>
  (answer[name] as readonly Json[])[0];

const feedback = {
  id: 'e',
  _is_merge: true,
  scores: { human: 1 },
  _audit_source: 'app',
  _audit_metadata: { user: 'u' },
};

const comments: Run = async (client) => {
  const comment = { id: unique('comment'), origin: { id: 'e' }, comment: { text: 'fine' } };
  const entry = first(await said(client, comment), 'comments');
  expect(entry).to.include({ event_id: 'e', comment: 'fine' });
};

const audits: Run = async (client) => {
  const entry = first(await said(client, feedback), 'audit');
  expect(entry).to.deep.include({ source: 'app', metadata: { user: 'u' } });
};

const deletesValues: Run = async (client) => {
  const _array_delete = [{ path: ['tags'], delete: ['a'] }];
  const [row] = await logged(client, { tags: ['a', 'b'] }, { _is_merge: true, _array_delete });
  expect(row?.['tags']).to.deep.equal(['b']);
};

const rowTrials: Trials = {
  dataset_id: async (client) => {
    const dataset_id = await eventObject(client, 'dataset');
    await log(client, { id: 'r', dataset_id });
    expect(await rowsOf(client, 'dataset', dataset_id)).to.have.length(1);
  },
  project_id: async (client) => {
    const project_id = await eventObject(client, 'project_logs');
    await log(client, { id: 'l', project_id });
    expect(await rowsOf(client, 'project_logs', project_id)).to.have.length(1);
  },
  log_id: async (client) => {
    const project_id = await eventObject(client, 'project_logs');
    const rows = [{ id: 'l', project_id, log_id: 'x' }];
    expect((await client.request('POST', '/logs3', { rows })).status).to.equal(400);
  },
  _object_delete: async (client) => {
    expect(await logged(client, {}, { _object_delete: true })).to.deep.equal([]);
  },
  _is_merge: async (client) => {
    const [row] = await logged(client, { input: 'kept' }, { _is_merge: true, output: 'added' });
    expect(row).to.include({ input: 'kept', output: 'added' });
  },
  _merge_paths: async (client) => {
    const merge = { _is_merge: true, _merge_paths: [['metadata', 'a']] };
    const before = { metadata: { a: { b: 1 } } };
    const [row] = await logged(client, before, { ...merge, metadata: { a: { c: 2 } } });
    expect(row?.['metadata']).to.deep.equal({ a: { c: 2 } });
  },
  _parent_id: async (client) => {
    const [child, parent] = await logged(client, {}, { id: 'child', _parent_id: 'e' });
    expect(child?.['root_span_id']).to.equal(parent?.['span_id']);
  },
  ...shownBy(comments, ['comment', 'comment.text']),
  ...shownBy(audits, ['_audit_source', '_audit_metadata']),
  ...shownBy(deletesValues, ['_array_delete', '_array_delete[].path', '_array_delete[].delete']),
};

const publish = 'POST /insert-functions';

const functionOf = async (client: Client, fields: Json): Promise<Json> => {
  const project_id = await newProject(client);
  const item = { project_id, name: 'f', slug: unique('slug'), ...fields };
  const { functions } = await send(client, publish, { functions: [item] });
  const [made] = functions as readonly [Json];
  return send(client, 'GET /v1/function/{id}', undefined, idOf(made));
};

const functionValues = {
  name: 'name',
  slug: 'slug',
  description: 'what it is',
  function_data: { type: 'parameters', data: { depth: 1 } },
  function_schema: { parameters: { type: 'object' } },
  prompt_data: promptData,
  function_type: 'parameters',
  tags: ['one'],
  metadata: { any: 1 },
};

const keepsFunction: Run = async (client) => {
  const project_id = await newProject(client);
  const made = await functionOf(client, { project_id, ...functionValues });
  expect(made).to.deep.include({ project_id, ...functionValues });
};

const functionNames = [
  'project_id',
  ...Object.keys(functionValues),
  'function_data.type',
  ...parts('prompt_data.', promptData),
];

const functionTrials: Trials = {
  environments: async (client) => {
    const project_id = await newProject(client);
    const item = { project_id, name: 'f', slug: 's', environments: [{ slug: 'production' }] };
    const { status } = await client.request('POST', '/insert-functions', { functions: [item] });
    expect(status).to.equal(400);
  },
  if_exists: async (client) => {
    const project_id = await newProject(client);
    await functionOf(client, { project_id, slug: 's', description: 'first' });
    const second = { project_id, slug: 's', description: 'second', if_exists: 'ignore' };
    expect(await functionOf(client, second)).to.include({ description: 'first' });
  },
};

/** The list in the body, and the fields of its items. */
const itemProbes = (
  operation: string,
  list: string,
  keeps: Run,
  names: readonly string[],
  trials: Trials,
): readonly Probe[] => {
  const runs = { ...shownBy(keeps, names), ...trials };
  const items = Object.entries(runs).map(([name, run]) => [`${list}[].${name}`, run] as const);
  return probesOf(operation, 'body', { [list]: keeps, ...Object.fromEntries(items) });
};

export const sdkLogProbes: readonly Probe[] = [
  ...itemProbes('POST /logs3', 'rows', keepsRow, keptNames, rowTrials),
  ...itemProbes(publish, 'functions', keepsFunction, functionNames, functionTrials),
];
