// Bodies with long texts, and long exports, are decoded in a thread, with the same result as here.
import { expect } from 'chai';
import { RequestError } from '../../src/errors.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { objectParts } from '../../src/event/objects-body.js';
import { eventsOfRow, type ReadRow } from '../../src/event/read-sdk-rows.js';
import type { Encoding } from '../../src/schema/otlp.js';
import type { Caller, Services } from '../../src/service/context.js';
import {
  itemReaders,
  type BodyItem,
  type BodyList,
  type ListKind,
} from '../../src/service/event/body-lists.js';
import { decodeBody } from '../../src/service/event/decode-body.js';
import type { ExportItem } from '../../src/service/event/export-items.js';
import { attributes, exportOf, span } from '../otlp/spans.js';
import { eventOfStrings } from '../support/json-strings.js';
import { longestParsed } from '../support/longest-parsed.js';
import { createDataset } from '../support/objects.js';
import { inParent, protobufOf } from '../support/post-spans.js';
import { startServer, type ServerProcess } from '../support/start-server.js';

const sizes = { bodyLimitMb: 256, bodiesMemoryMb: 256 };
const services = {
  config: { writerMemoryMb: 64, maintenanceMemoryMb: 64, ...sizes },
} as Services;
const caller = { kind: 'key', keyId: 'a' } as Caller;
const mebibyte = 2 ** 20;
const limits = { textBytesMax: 64 * mebibyte, decodedBytesMax: Infinity };

interface Decoded<K extends ListKind> {
  readonly isAtOnce: boolean;
  readonly items: readonly BodyItem<K>[];
}

async function decoded<K extends ListKind>(
  list: BodyList<K>,
  bytes: Buffer,
  reserve: (bytes: number) => void = () => {},
  given = services,
): Promise<Decoded<K>> {
  const items: BodyItem<K>[] = [];
  const body = {
    bytes: Buffer.from(new Uint8Array(bytes)),
    reserve,
    signal: () => new AbortController().signal,
  };
  const decoding = decodeBody(given, caller, list, body, (item) => items.push(item));
  await decoding;
  return { isAtOnce: decoding === undefined, items };
}

/** What is read, or why it is refused. */
async function outcomeOf(reading: () => unknown): Promise<unknown> {
  try {
    return await reading();
  } catch (error) {
    if (error instanceof RequestError) return [error.status, error.message];
    throw error;
  }
}

const comparable = (event: IncomingEvent): unknown => ({
  ...eventOfStrings(event),
  ...(event.idGenerated ? { id: '' } : {}),
});

const comparableRow = (row: ReadRow): unknown =>
  'message' in row
    ? row
    : { ...row, row: { ...row.row, id: '', event: eventsOfRow(row).map(comparable) } };

const comparableItem = (item: ExportItem): unknown =>
  'event' in item ? { ...item, event: comparable(item.event) } : item;

const comparableItems: {
  readonly [K in ListKind]: (item: BodyItem<K>) => unknown;
} = {
  events: comparable,
  objects: ({ part, event }) => ({ part, event: comparable(event) }),
  rows: comparableRow,
  spans: comparableItem,
  record: comparable,
};

/** Expects that a body is decoded to what is read in one go, and only texts of at most so many characters are parsed here. */
async function expectElsewhere<K extends ListKind>(
  list: BodyList<K>,
  bytes: Buffer,
  parsedMax = 2 ** 19,
): Promise<void> {
  const shown = comparableItems[list.of];
  const here = await outcomeOf(() =>
    [...itemReaders[list.of].read(bytes, list, limits)].flat().map(shown),
  );
  let elsewhere: unknown;
  const longest = await longestParsed(async () => {
    elsewhere = await outcomeOf(async () => (await decoded(list, bytes)).items.map(shown));
  });
  expect(elsewhere).to.deep.equal(here);
  expect(longest).to.be.at.most(parsedMax);
}

const space = ' '.repeat(mebibyte);
const keys = Array.from({ length: 50_000 }, (_, key) => `"k${key}":${key}`).join(',');
const many = Array.from(
  { length: 1500 },
  (_, index) => `{"id":"${index}","tags":["${index}"]}`,
).join(',');
const members = `"project_id":"00000000-0000-4000-8000-000000000000","log_id":"g"`;

/** Elements of the list, and what follows it. */
const bodies: Readonly<Record<string, readonly [string, string?]>> = {
  'of many keys': [`{"id":"a","input":{${keys}}}`],
  'of white space': [`{"id":"a","input":${space}[ 1 ]}`],
  'of a string': [`{"id":"a","input":"${'x'.repeat(2 * mebibyte)}"}`],
  'of escapes': [String.raw`{"id":"a","input":"${String.raw`\ud800\u00e9\"`.repeat(50_000)}"}`],
  'between short ones': [
    `{"id":"a","input":1},${many},{"id":"b","input":{${keys}},"created":"2024-01-01T00:00:00Z"},{"id":"c","tags":["é"]}`,
  ],
  'with numbers that are exact': [
    `{"id":"a","input":[${'12345678901234567890,'.repeat(50_000)}1]}`,
  ],
  'with ids of the server': [`{"input":{${keys}}},{"input":1}`],
  'that is cut off': [`{"id":"a","input":{${keys}`],
  'with an invalid field before it': [`{"id":1},{"input":{${keys}}}`],
  'with an invalid field behind it': [`{"input":{${keys}}},{"id":1}`],
  'of an unknown field': [`{"id":"a","unknown":{${keys}}}`],
  'behind the list': ['{"id":"a"}', `,"x":{${keys}}`],
  'in the place of an event': [`[${'1,'.repeat(mebibyte / 4)}1]`],
};

const bodyOf = (name: string, list: string, more = ''): Buffer =>
  Buffer.from(`{"${name}":[${list}]${more}}`);

const partsOf = (bytes: Buffer): Buffer =>
  Buffer.from(`{"dataset":{"a":{"events":[{}]}},"project_logs":{"b":${bytes.toString()}}}`);

const events = { of: 'events', kind: 'project_logs', form: 'json' } as const;
const rows = { of: 'rows', userId: 'user' } as const;
const objectsIn = (bytes: Buffer) => ({ of: 'objects', parts: objectParts(bytes) }) as const;

const project = 'project_id:00000000-0000-4000-8000-000000000000';
const spansIn = (encoding: Encoding) =>
  ({
    of: 'spans',
    format: { encoding, parent: project },
    limits: { textBytesMax: 64 * mebibyte, eventBytesMax: 4 * mebibyte, originMegabytesMax: 256 },
  }) as const;

describe('a body with a long text', () => {
  for (const [name, [list, more]] of Object.entries(bodies)) {
    it(`${name} of an insert is decoded elsewhere, with the same result`, () =>
      expectElsewhere(events, bodyOf('events', list, more)));

    it(`${name} of rows is decoded elsewhere, with the same result`, () =>
      expectElsewhere(rows, bodyOf('rows', list.replaceAll('{"i', `{${members},"i`), more)));
  }

  it('before the rows is decoded elsewhere, with the same result', () =>
    expectElsewhere(rows, Buffer.from(`{"x":{${keys}},"rows":[{${members},"id":"a"}]}`)));

  for (const name of ['of many keys', 'between short ones'])
    it(`${name} of an insert into several objects is decoded elsewhere, with the same result`, async () => {
      const [list, more] = bodies[name]!;
      const bytes = partsOf(bodyOf('events', list, more));
      await expectElsewhere(objectsIn(bytes), bytes);
    });

  it('of lines is decoded elsewhere, with the same result', () =>
    expectElsewhere(
      { ...events, form: 'lines' },
      Buffer.from(`{"id":"a","input":{${keys}}}\n{"id":"b"}`),
    ));

  const long = { a: String.raw`\u00e9\"`.repeat(50_000) };
  const others = [
    span({ spanId: '1'.repeat(16) }),
    inParent('project_name:p', { spanId: '2'.repeat(16) }),
    inParent('nobody', { spanId: '3'.repeat(16) }),
  ];
  const spans = [
    ...others,
    span({ attributes: attributes(long) }),
    span({ name: 'x'.repeat(5 * mebibyte) }),
  ];
  const exports: Readonly<Record<string, readonly [string | Uint8Array, Encoding]>> = {
    'in JSON': [JSON.stringify(exportOf(spans)), 'json'],
    'in JSON that is cut off': [JSON.stringify(exportOf(spans)).slice(0, -200), 'json'],
    'in protobuf': [
      protobufOf(['4'.repeat(16)], { 'gen_ai.prompt': JSON.stringify([long.a]) }),
      'protobuf',
    ],
  };
  for (const [name, [body, encoding]] of Object.entries(exports))
    it(`of spans ${name} is decoded elsewhere, with the same result`, () =>
      expectElsewhere(spansIn(encoding), Buffer.from(body), 0));
});

it('a short body is decoded at once', async () => {
  // A decoding that the machine interrupts goes on in the next turn of the event loop.
  for (const [list, body] of [
    [events, bodyOf('events', '{"id":"a"}')],
    [spansIn('json'), Buffer.from(JSON.stringify(exportOf([span()])))],
  ] as const) {
    const all = await Promise.all(Array.from({ length: 20 }, () => decoded(list, body)));
    expect(all.some(({ isAtOnce }) => isAtOnce)).to.equal(true);
  }
});

/** Their JSON has four times as many characters. */
const numbers = (count: number) => `{"input":[${'1e20,'.repeat(count)}1]}`;
const jsonBytes = (count: number) => 22 * count + 3;

describe('the memory of events', () => {
  const small = { config: { ...services.config, bodyLimitMb: 1, bodiesMemoryMb: 1 } } as Services;
  const eventBytes = 1024;

  const readers: Readonly<
    Record<string, (list: readonly string[], reserve: (bytes: number) => void) => unknown>
  > = {
    'an insert': (list, reserve) => decoded(events, bodyOf('events', list.join()), reserve, small),
    'an insert into several objects': (list, reserve) => {
      const bytes = partsOf(bodyOf('events', list.join()));
      return decoded(objectsIn(bytes), bytes, reserve, small);
    },
    rows: (list, reserve) => {
      const own = list.map((event) => `{${members},${event.slice(1)}`);
      return decoded(rows, bodyOf('rows', own.join()), reserve, small);
    },
  };

  const reservedFor = async (name: string, list: readonly string[]) => {
    let reserved = 0;
    await readers[name]!(list, (bytes) => (reserved += bytes));
    return reserved;
  };

  for (const name of Object.keys(readers)) {
    it(`of ${name} is limited, here and in the thread`, async () => {
      const refused = [
        413,
        'the events of the request together are larger as JSON than the limit of 2 MB',
      ];
      const short = Array.from({ length: 6 }, () => numbers(20_000));
      expect(await outcomeOf(() => reservedFor(name, short))).to.deep.equal(refused);
      const long = [numbers(100_000)];
      expect(await outcomeOf(() => reservedFor(name, long))).to.deep.equal(refused);
    });

    it(`of ${name} is reserved once, without what is reserved for the body`, async () => {
      const fixed = 2 * eventBytes;
      const few = await reservedFor(name, [numbers(0), numbers(0)]);
      expect(few).to.be.within(fixed, fixed + 100 + eventBytes);
      const added = (count: number) => 2 * (jsonBytes(count) - numbers(count).length);
      const short = await reservedFor(name, [numbers(10_000), numbers(10_000)]);
      expect(short).to.be.within(added(10_000) + fixed - 300, added(10_000) + 2 * fixed);
      const long = await reservedFor(name, [numbers(30_000), numbers(60_000)]);
      const more = added(45_000);
      expect(long).to.be.within(more + fixed - 300, more + 2 * fixed);
    });
  }
});

describe('a server that gets long texts', () => {
  let server: ServerProcess;
  let project = '';

  before(async () => {
    server = await startServer();
    project = (await server.post('/v1/project', { name: 'long' }))['id'] as string;
  });
  after(() => server.stop());

  it('stores the events of a request in their order', async () => {
    const list = `{"id":"a","input":1},{"id":"b","input":{${keys}}},{"id":"a","input":2}`;
    const path = `/v1/project_logs/${project}/insert`;
    const { row_ids: ids } = await server.post(path, bodyOf('events', list));
    expect(ids).to.deep.equal(['a', 'b', 'a']);
    const rows = await server.query(
      `select: id, input.k49999 as last, input | from: project_logs('${project}') | filter: id = 'a' or input.k49999 = 49999`,
      {},
    );
    expect(rows.map(({ id, last }) => [id, last])).to.have.deep.members([
      ['a', null],
      ['b', 49_999],
    ]);
    expect(rows.find(({ id }) => id === 'a')).to.include({ input: 2 });
  });

  it('stores the events of several objects', async () => {
    const dataset = await createDataset(server);
    const [first, second] = ['{"id":"g"}', `{"id":"h","input":{${keys}}},{"id":"i"}`];
    const body = `{"dataset":{"${dataset.id}":{"events":[${first}]}},"project_logs":{"${project}":{"events":[${second}]}}}`;
    expect(await server.post('/v1/insert', Buffer.from(body))).to.deep.equal({
      dataset: { [dataset.id]: { row_ids: ['g'] } },
      project_logs: { [project]: { row_ids: ['h', 'i'] } },
    });
    const stored = await server.query(
      `from: project_logs('${project}') | select: id | filter: input.k49999 = 49999 and id = 'h'`,
    );
    expect(stored).to.deep.equal([{ id: 'h' }]);
  });

  it('stores nothing of a refused request', async () => {
    const list = `{"id":"c","input":{${keys}}},{"id":"d","unknown":1}`;
    const path = `/v1/project_logs/${project}/insert`;
    const { status, text } = await server.request('POST', path, bodyOf('events', list));
    expect([status, text]).to.deep.equal([400, 'events[1]: unknown field "unknown"']);
    expect(
      await server.query(`from: project_logs('${project}') | select: id | filter: id = 'c'`),
    ).to.deep.equal([]);
  });

  it('stores the valid rows of a request', async () => {
    const own = `"project_id":"${project}","log_id":"g"`;
    const list = `{${own},"id":"e","input":{${keys}}},{${own},"id":1},{${own},"id":"f"}`;
    const answer = await server.post('/logs3', bodyOf('rows', list));
    expect(answer['ids']).to.deep.equal(['e', 'f']);
    expect(answer['errors']).to.deep.equal([
      { index: 1, id: null, message: 'rows[1].id: expected a non-empty string or null, got 1' },
    ]);
  });
});
