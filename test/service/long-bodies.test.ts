// Bodies with long texts are decoded in a thread, with the same result as here.
import { expect } from 'chai';
import { RequestError } from '../../src/errors.js';
import { decodeInSteps } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import { decodePartsInSteps, objectParts } from '../../src/event/objects-body.js';
import { eventsOfRow, readRowsInSteps, type ReadRow } from '../../src/event/read-sdk-rows.js';
import type { Services } from '../../src/service/context.js';
import {
  decodeEvents,
  decodeParts,
  readExport,
  readSdkRows,
  type EventBody,
} from '../../src/service/event/long-bodies.js';
import { exportInSteps, type ExportItem } from '../../src/service/event/export-items.js';
import type { Encoding } from '../../src/schema/otlp.js';
import { eventOfStrings } from '../support/json-strings.js';
import { inParent, protobufOf } from '../support/post-spans.js';
import { attributes, exportOf, span } from '../otlp/spans.js';
import { longestParsed } from '../support/longest-parsed.js';
import { createDataset } from '../support/objects.js';
import { startServer, type ServerProcess } from '../support/start-server.js';

const services = { config: { writerMemoryMb: 64, maintenanceMemoryMb: 64 } } as Services;
const textBytesMax = 64 * 2 ** 20;

const mebibyte = 2 ** 20;
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

const read = (bytes: Buffer): EventBody => ({
  bytes: Buffer.from(bytes),
  reserve: () => {},
  signal: () => new AbortController().signal,
});

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

const partsOf = (bytes: Buffer): Buffer =>
  Buffer.from(`{"dataset":{"a":{"events":[{}]}},"project_logs":{"b":${bytes.toString()}}}`);

function partsHere(bytes: Buffer): readonly unknown[] {
  const parts = objectParts(bytes);
  const decoded = [...decodePartsInSteps(bytes, parts, { textBytesMax })].flat();
  return parts.map((_, index) =>
    decoded.flatMap(({ part, event }) => (part === index ? [comparable(event)] : [])),
  );
}

const decodedParts = async (bytes: Buffer): Promise<readonly unknown[]> =>
  (await decodeParts(services, objectParts(bytes), read(bytes))).map((events) =>
    events.map(comparable),
  );

const decodedHere = (bytes: Buffer): readonly unknown[] =>
  [...decodeInSteps('project_logs', bytes, { textBytesMax })].flat().map(comparable);

const decodedEvents = async (bytes: Buffer): Promise<readonly unknown[]> =>
  (await decodeEvents(services, 'project_logs', read(bytes))).map(comparable);

async function rowsIn(bytes: Buffer): Promise<readonly unknown[]> {
  const rows = await readSdkRows(services, 'user', read(bytes), () => {
    const all: ReadRow[] = [];
    return { read: all, add: (row) => void all.push(row) };
  });
  return rows.map(comparableRow);
}

describe('a long text', () => {
  for (const [name, [list, more]] of Object.entries(bodies)) {
    const events = bodyOf('events', list, more);
    const rows = bodyOf('rows', list.replaceAll('{"i', `{${members},"i`), more);

    it(`${name} of an insert is decoded elsewhere, with the same result`, async () => {
      const here = await outcomeOf(() => decodedHere(events));
      expect(await outcomeOf(() => decodedEvents(events))).to.deep.equal(here);
      expect(await longestParsed(() => outcomeOf(() => decodedEvents(events)))).to.be.below(
        2 ** 19,
      );
    });

    it(`${name} of an insert into several objects is decoded elsewhere, with the same result`, async () => {
      const parts = partsOf(events);
      const here = await outcomeOf(() => partsHere(parts));
      expect(await outcomeOf(() => decodedParts(parts))).to.deep.equal(here);
      expect(await longestParsed(() => outcomeOf(() => decodedParts(parts)))).to.be.below(2 ** 19);
    });

    it(`${name} of rows is read elsewhere, with the same result`, async () => {
      const here = await outcomeOf(() =>
        [...readRowsInSteps(rows, 'user', { textBytesMax })].flat().map(comparableRow),
      );
      expect(await outcomeOf(() => rowsIn(rows))).to.deep.equal(here);
      expect(await longestParsed(() => outcomeOf(() => rowsIn(rows)))).to.be.below(2 ** 19);
    });
  }

  it('before the rows is read elsewhere', async () => {
    const bytes = Buffer.from(`{"x":{${keys}},"rows":[{${members},"id":"a"}]}`);
    const longest = await longestParsed(async () => expect(await rowsIn(bytes)).to.have.length(1));
    expect(longest).to.be.below(2 ** 19);
  });

  it('in short bodies is decoded here, at once', () => {
    // A decoding that the machine interrupts goes on in the next turn of the event loop.
    const decoded = Array.from({ length: 20 }, () =>
      decodeEvents(services, 'project_logs', read(bodyOf('events', '{"id":"a"}'))),
    );
    expect(decoded.some((events) => !(events instanceof Promise))).to.equal(true);
  });
});

const project = 'project_id:00000000-0000-4000-8000-000000000000';
const exportLimits = { textBytesMax, eventBytesMax: 4 * mebibyte, originMegabytesMax: 256 };
const sizes = { bodyLimitMb: 256, bodiesMemoryMb: 256 };
const exporting = { config: { ...services.config, ...sizes } } as Services;

const comparableItem = (item: ExportItem): unknown =>
  'event' in item ? { ...item, event: comparable(item.event) } : item;

/** The items of an export, read here and, if that is needed, in the thread. */
const itemsIn = async (bytes: Buffer, encoding: Encoding): Promise<readonly unknown[]> => {
  const items = await readExport(exporting, { encoding, parent: project }, read(bytes), () => {
    const all: ExportItem[] = [];
    return { read: all, add: (item) => void all.push(item) };
  });
  return items.map(comparableItem);
};

describe('a long text of an export', () => {
  const text = String.raw`\u00e9\"`.repeat(50_000);
  const long = { a: text };
  const others = [
    span({ spanId: '1'.repeat(16) }),
    inParent('project_name:p', { spanId: '2'.repeat(16) }),
    inParent('nobody', { spanId: '3'.repeat(16) }),
  ];
  const spans = [...others, span({ attributes: attributes(long) }), span()];
  const resource = { attributes: attributes(long) };
  const bodiesOf: Readonly<Record<string, readonly [string | Uint8Array, Encoding]>> = {
    'of a span': [JSON.stringify(exportOf(spans)), 'json'],
    'of a span that is too large': [
      JSON.stringify(exportOf([...spans, span({ name: 'x'.repeat(5 * mebibyte) })])),
      'json',
    ],
    'of a resource': [JSON.stringify(exportOf(others, resource)), 'json'],
    'of a scope': [JSON.stringify(exportOf(others, {}, resource)), 'json'],
    'of an unknown field': [JSON.stringify({ unknown: text, ...exportOf(others) }), 'json'],
    'of a name': [JSON.stringify({ [text]: 1, ...exportOf(others) }), 'json'],
    'that is cut off': [JSON.stringify(exportOf(spans)).slice(0, -200), 'json'],
    'in protobuf': [
      protobufOf(['4'.repeat(16)], { 'gen_ai.prompt': JSON.stringify([text]) }),
      'protobuf',
    ],
  };

  for (const [name, [body, encoding]] of Object.entries(bodiesOf))
    it(`${name} is read elsewhere, with the same result`, async () => {
      const bytes = Buffer.from(body);
      const format = { encoding, parent: project };
      const here = await outcomeOf(() =>
        [...exportInSteps(bytes, format, exportLimits)].flat().map(comparableItem),
      );
      expect(await outcomeOf(() => itemsIn(bytes, encoding))).to.deep.equal(here);
      expect(await longestParsed(() => outcomeOf(() => itemsIn(bytes, encoding)))).to.be.below(
        2 ** 18,
      );
    });
});

/** Their JSON has four times as many characters. */
const numbers = (count: number) => `{"input":[${'1e20,'.repeat(count)}1]}`;
const jsonBytes = (count: number) => 22 * count + 3;

describe('the memory of events', () => {
  const own = `"project_id":"00000000-0000-4000-8000-000000000000","log_id":"g"`;
  const small = { config: { ...services.config, bodyLimitMb: 1, bodiesMemoryMb: 1 } } as Services;
  const rowOf = (event: string) => `{${own},${event.slice(1)}`;
  const eventBytes = 1024;

  const readers: Readonly<
    Record<string, (events: readonly string[], reserve: (bytes: number) => void) => unknown>
  > = {
    'an insert': (events, reserve) =>
      decodeEvents(small, 'project_logs', {
        ...read(bodyOf('events', events.join())),
        reserve,
      }),
    'an insert into several objects': (events, reserve) => {
      const bytes = partsOf(bodyOf('events', events.join()));
      return decodeParts(small, objectParts(bytes), { ...read(bytes), reserve });
    },
    rows: (events, reserve) =>
      readSdkRows(
        small,
        'user',
        { ...read(bodyOf('rows', events.map(rowOf).join())), reserve },
        () => ({
          read: null,
          add: () => {},
        }),
      ),
  };

  const reservedFor = async (name: string, events: readonly string[]) => {
    let reserved = 0;
    await readers[name]!(events, (bytes) => (reserved += bytes));
    return reserved;
  };

  for (const name of Object.keys(readers)) {
    it(`of ${name} is limited, here and in the thread`, async () => {
      const refused = [
        413,
        'the events of the request together are larger as JSON than the limit of 2 MB',
      ];
      const events = Array.from({ length: 6 }, () => numbers(20_000));
      expect(await outcomeOf(() => reservedFor(name, events))).to.deep.equal(refused);
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
