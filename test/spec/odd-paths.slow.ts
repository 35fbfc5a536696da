// Keys of every kind, and values of several types at one path: the same answers wherever the rows are stored.
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createProject } from '../support/objects.js';
import { startServer, type ServerOptions, type TestServer } from '../support/start-server.js';
import { waitUntil } from '../support/wait-until.js';

const keys = [
  ...([
    'plain',
    'Plain',
    'PLAIN',
    'a.b',
    'a',
    'q"t',
    "o'n",
    '`',
    'x y',
    ' ',
    '',
    '😀',
    'é',
    'É',
  ] as const),
  ...([
    '*',
    '$',
    '$.a',
    '#',
    '0',
    '[0]',
    'a/b',
    'a~2',
    'back\\slash',
    'tab\t',
    '__proto__',
    'ß',
  ] as const),
  'k'.repeat(10_000),
];

/** Of several types, one after the other. */
const values: readonly unknown[] = [
  ...([1, 'x', true, null, [1, 'x'], { deep: 1 }, 0.5, '1', false, 1e300, -0, '', {}, []] as const),
  ...(['y'.repeat(300), 9_007_199_254_740_991] as const),
];

const nested = (depth: number): string => '{"d":'.repeat(depth) + '1' + '}'.repeat(depth);

const requests = 6;
const rowsPerRequest = 8;

/** JSON text, so that keys such as `__proto__` are keys. Each request leans to another type. */
function eventText(request: number, row: number): string {
  const members = keys.map((key, place) => {
    const value =
      row < 5 ? values[request % values.length] : values[(request + row + place) % values.length];
    return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  });
  const input = row === 0 ? nested(500) : 'null';
  const scores = `{"Score":${request / 16},"score":${row / 8},"s.c":0.25}`;
  return `{"id":"${request}/${row}","span_id":"${request}/${row}","root_span_id":"${request}/${row}","created":"2024-01-01T00:00:00Z","input":${input},"scores":${scores},"metadata":{${members.join()}}}`;
}

const bodies = Array.from(
  { length: requests },
  (_, request) =>
    `{"events":[${Array.from({ length: rowsPerRequest }, (__, row) => eventText(request, row)).join()}]}`,
);

const quoted = (key: string) =>
  `metadata["${key.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;

const queriesOf = (key: string): readonly string[] => [
  `select: id, ${quoted(key)} as v | sort: id`,
  `dimensions: ${quoted(key)} as v | measures: count(1) as n`,
  `measures: avg(${quoted(key)}) as mean, min(${quoted(key)}) as low, max(${quoted(key)}) as high`,
  `select: id | filter: ${quoted(key)} = 1 or ${quoted(key)} = "x" or ${quoted(key)} = true | sort: id`,
  `select: id | filter: ${quoted(key)} is null | sort: id`,
  `select: id, ${quoted(key)}.deep as v | sort: ${quoted(key)}, id`,
];

const queries = [
  ...keys.flatMap(queriesOf),
  'measures: avg(scores.Score) as a, avg(scores.score) as b, avg(scores["s.c"]) as c',
  'select: id, metadata.a.b as v, metadata["a.b"] as w | sort: id',
];

const flushing = (rows: number, tuning: NonNullable<ServerOptions['tuning']>): ServerOptions => ({
  environment: { EVALSTORE_FLUSH_ROWS: String(rows) },
  tuning,
});
const unmerged = { compaction: { fanOut: 1000, supersededShare: 2 } };
const narrow = { segments: { narrowRowsMin: 1 } };
const [all, half] = [rowsPerRequest * requests, (rowsPerRequest * requests) / 2];

interface State {
  readonly options: ServerOptions;
  /** Segments at the end. */
  readonly segments: number;
}

const states: Readonly<Record<string, State>> = {
  'as buffered rows': { options: flushing(all + 1, unmerged), segments: 0 },
  'in several segments': { options: flushing(rowsPerRequest, unmerged), segments: requests },
  'in a segment and as buffered rows': {
    options: flushing(half + 1, { ...unmerged, ...narrow }),
    segments: 1,
  },
  'in a merged segment': {
    options: flushing(rowsPerRequest, { compaction: { fanOut: 2 }, ...narrow }),
    segments: 1,
  },
};

async function segmentsOf({ dir }: TestServer): Promise<number> {
  const names = await readdir(path.join(dir, 'segments'), { recursive: true });
  return names.filter((name) => /\d\.ids$/.test(name)).length;
}

interface Answers {
  readonly fetched: readonly Readonly<Record<string, unknown>>[];
  readonly queried: ReadonlyMap<string, string>;
}

async function fill(server: TestServer, log: string, one: boolean): Promise<void> {
  for (const [number, body] of bodies.entries()) {
    await server.post(`${log}/insert`, body);
    if (one) await waitUntil('its segment', async () => (await segmentsOf(server)) > number);
  }
}

/** Means to 12 digits: the order of the rows, thus of the sum, differs between storage states. */
function roundedMean(key: string, value: unknown): unknown {
  return key === 'mean' && typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}

async function answersIn({ options, segments }: State): Promise<Answers> {
  const server = await startServer(options);
  try {
    const { id } = await createProject(server);
    const log = `/v1/project_logs/${id}`;
    await fill(server, log, segments === requests);
    await waitUntil('its segments', async () => (await segmentsOf(server)) === segments);
    const fetched = (await server.get(`${log}/fetch`))['events'];
    const queried = new Map<string, string>();
    for (const clauses of queries) {
      const query = `from: project_logs('${id}') | ${clauses}`;
      const answer = await server.request('POST', '/query', { query });
      expect(answer.status, `${clauses}: ${answer.text}`).to.equal(200);
      queried.set(clauses, JSON.stringify(answer.json()['data'], roundedMean));
    }
    return { fetched: fetched as Answers['fetched'], queried };
  } finally {
    await server.stop();
  }
}

const sent = bodies.flatMap(
  (body) => (JSON.parse(body) as { events: Readonly<Record<string, unknown>>[] }).events,
);

describe('odd keys and paths of several types', () => {
  const answers = new Map<string, Answers>();

  for (const [name, state] of Object.entries(states))
    it(`are returned as they were sent and give the same answers, ${name}`, async () => {
      const found = await answersIn(state);
      const byId = new Map(found.fetched.map((event) => [event['id'], event]));
      expect(byId.size).to.equal(sent.length);
      for (const { id, metadata, input } of sent) {
        const event = byId.get(id);
        expect(JSON.stringify(event?.['metadata'])).to.equal(JSON.stringify(metadata));
        expect(JSON.stringify(event?.['input'])).to.equal(JSON.stringify(input));
      }
      for (const key of keys) {
        const shown = JSON.parse(found.queried.get(queriesOf(key)[0]!)!) as {
          id: string;
          v: unknown;
        }[];
        const values = new Map(shown.map(({ id, v }) => [id, v]));
        for (const { id, metadata } of sent)
          expect(values.get(id as string), `${key.slice(0, 20)} of ${String(id)}`).to.deep.equal(
            (metadata as Record<string, unknown>)[key],
          );
      }
      const first = answers.get(Object.keys(states)[0]!) ?? found;
      answers.set(name, found);
      for (const [query, rows] of found.queried)
        expect(rows, query.slice(0, 200)).to.equal(first.queried.get(query));
    }).timeout(120_000);
});
