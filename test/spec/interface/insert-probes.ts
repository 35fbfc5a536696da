// Fields of inserted events.
import { expect } from 'chai';
import {
  eventObject,
  insert,
  probesOf,
  rowsOf,
  send,
  shownBy,
  type Client,
  type Json,
  type Probe,
} from './probe.js';

const metrics = {
  start: 1.5,
  end: 2.5,
  prompt_tokens: 3,
  completion_tokens: 4,
  tokens: 7,
  other: 'any',
};
const context = { caller_functionname: 'main', caller_filename: 'main.py', caller_lineno: 7 };
const spanAttributes = { name: 'answer', type: 'llm' };

/** What is answered as it was sent. */
const recordValues: Json = {
  input: { question: 'what?' },
  expected: ['that'],
  error: 'too late',
  metadata: { model: 'm' },
  tags: ['one', 'two'],
  created: '2024-01-02T03:04:05.678Z',
  origin: { from: 'elsewhere' },
  classifications: { topic: [{ id: 'sports', label: 'Sports', metadata: { p: 0.5 } }] },
  span_id: 'span',
  root_span_id: 'trace',
  span_parents: ['parent'],
};

export const spanValues: Json = {
  ...recordValues,
  output: 'that',
  scores: { exact: 1 },
  metrics,
  context,
  span_attributes: spanAttributes,
};

const valuesOf: Readonly<Record<string, Json>> = {
  project_logs: spanValues,
  experiment: { ...spanValues, dataset_record_id: 'record' },
  dataset: recordValues,
};

const pathsOf = (name: string, value: unknown): readonly string[] => [
  name,
  ...(['metrics', 'context', 'span_attributes'].includes(name)
    ? Object.keys(value as Json)
        .filter((inner) => inner !== 'other')
        .map((inner) => `${name}.${inner}`)
    : []),
];

async function keepsAll(client: Client, kind: string): Promise<void> {
  const id = await eventObject(client, kind);
  const sent = valuesOf[kind]!;
  await insert(client, kind, id, { id: 'e', ...sent });
  const [row] = await rowsOf(client, kind, id);
  expect(row).to.deep.include(sent);
}

type Trial = (client: Client, kind: string, id: string) => Promise<void>;

const deletesElements: Trial = async (client, kind, id) => {
  await insert(client, kind, id, { id: 'e', tags: ['a', 'b'] });
  const _array_delete = [{ path: ['tags'], delete: ['a'] }];
  await insert(client, kind, id, { id: 'e', _is_merge: true, _array_delete });
  expect((await rowsOf(client, kind, id))[0]?.['tags']).to.deep.equal(['b']);
};

/** By field: what it does that an answered value alone does not show. */
const trials: Readonly<Record<string, Trial>> = {
  id: async (client, kind, id) => {
    const body = { events: [{ id: 'given' }] };
    const answer = await send(client, `POST /v1/${kind}/{id}/insert`, body, id);
    expect(answer).to.deep.equal({ row_ids: ['given'] });
  },
  _object_delete: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'e' });
    await insert(client, kind, id, { id: 'e', _object_delete: true });
    expect(await rowsOf(client, kind, id)).to.deep.equal([]);
  },
  _is_merge: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'e', input: 'kept' });
    await insert(client, kind, id, { id: 'e', _is_merge: true, expected: 'added' });
    expect((await rowsOf(client, kind, id))[0]).to.include({ input: 'kept', expected: 'added' });
  },
  _merge_paths: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'e', metadata: { a: { b: 1 } } });
    const merge = { _is_merge: true, _merge_paths: [['metadata', 'a']] };
    await insert(client, kind, id, { id: 'e', ...merge, metadata: { a: { c: 2 } } });
    const [row] = await rowsOf(client, kind, id);
    expect(row?.['metadata']).to.deep.equal({ a: { c: 2 } });
  },
  _array_delete: deletesElements,
  '_array_delete[].path': deletesElements,
  '_array_delete[].delete': deletesElements,
  _parent_id: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'parent' });
    await insert(client, kind, id, { id: 'child', _parent_id: 'parent' });
    const [child, parent] = await rowsOf(client, kind, id);
    expect(child?.['root_span_id']).to.equal(parent?.['span_id']);
  },
  inputs: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'e', inputs: 'by its former name' });
    expect((await rowsOf(client, kind, id))[0]).to.include({ input: 'by its former name' });
  },
};

const recordTrials: Readonly<Record<string, Trial>> = {
  output: async (client, kind, id) => {
    await insert(client, kind, id, { id: 'e', output: 'by its former name' });
    expect((await rowsOf(client, kind, id))[0]).to.include({ expected: 'by its former name' });
  },
};

const fieldProbes = (kind: string): readonly Probe[] => {
  const operation = `POST /v1/${kind}/{id}/insert`;
  const own = { ...trials, ...(kind === 'dataset' ? recordTrials : {}) };
  const whole = (client: Client) => keepsAll(client, kind);
  const kept = Object.entries(valuesOf[kind]!).flatMap(([name, value]) => pathsOf(name, value));
  return [
    ...probesOf(
      operation,
      'body',
      shownBy(whole, ['events', ...kept.map((name) => `events[].${name}`)]),
    ),
    ...Object.entries(own).flatMap(([name, trial]) =>
      probesOf(operation, 'body', {
        [`events[].${name}`]: async (client) =>
          trial(client, kind, await eventObject(client, kind)),
      }),
    ),
  ];
};

const kinds = ['project_logs', 'experiment', 'dataset'];

async function insertsIntoAll(client: Client): Promise<void> {
  const ids = await Promise.all(kinds.map((kind) => eventObject(client, kind)));
  const body = Object.fromEntries(
    kinds.map((kind, index) => [kind, { [ids[index]!]: { events: [{ id: kind }] } }]),
  );
  await send(client, 'POST /v1/insert', body);
  for (const [index, kind] of kinds.entries()) {
    const rows = await rowsOf(client, kind, ids[index]!);
    expect(rows.map(({ id }) => id)).to.deep.equal([kind]);
  }
}

export const insertProbes: readonly Probe[] = [
  ...kinds.flatMap(fieldProbes),
  ...probesOf(
    'POST /v1/insert',
    'body',
    shownBy(
      insertsIntoAll,
      kinds.flatMap((kind) => [kind, `${kind}.*.events`]),
    ),
  ),
];
