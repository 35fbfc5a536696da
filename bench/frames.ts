// npm run bench -- frames: answers for data frames. Eight paths of rows without and with an integer beyond 2^53, from the buffer and
// from segments; `select *` as Parquet and as Arrow; and when the first bytes of the Arrow stream arrive.
import { parseArgs } from 'node:util';
import { closeSides, openCheckouts, type Checkout } from './http/sides.js';
import { median } from './measure.js';
import { untilInSegments } from './reads/rows.js';
import { table, type Cell } from './report/markdown.js';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
  },
});

const rowsPerRequest = 2000;
/** More than a double holds, as the ids of many services. */
const largeInteger = '9007199254740993';

const paths = [
  'metadata.model',
  'metadata.user',
  'metadata.temperature',
  'metadata.retries',
  'scores.accuracy',
  'scores.helpful',
  'metrics.tokens',
  'metrics.latency',
];

function rowText(row: number, isLarge: boolean): string {
  const text = JSON.stringify({
    id: `row-${row}`,
    input: { question: `What is ${row} times ${row % 97}?` },
    output: `It is ${row * (row % 97)}.`,
    scores: { accuracy: (row % 11) / 10, helpful: row / 300_000 },
    metadata: {
      big: row % 4096,
      model: `model-${row % 7}`,
      user: `user-${row % 1000}`,
      temperature: (row % 21) / 10,
      retries: row % 4,
    },
    metrics: { tokens: row % 4096, latency: row / 7000 },
  });
  return isLarge ? text.replace(/"big":\d+/, `"big":${largeInteger}`) : text;
}

async function storeLog({ client, projectId }: Checkout, isLarge: boolean): Promise<void> {
  const count = Number(values.rows);
  for (let first = 0; first < count; first += rowsPerRequest) {
    const length = Math.min(rowsPerRequest, count - first);
    const events = Array.from({ length }, (_, index) => rowText(first + index, isLarge));
    await client.post(`/v1/project_logs/${projectId}/insert`, `{"events":[${events.join()}]}`);
  }
}

interface Times {
  /** Until the first bytes of the answer, in seconds. */
  readonly first: number;
  readonly all: number;
  /** Seconds of processor time of the server. */
  readonly cpu: number;
}

async function ask(checkout: Checkout, select: string, fmt: string): Promise<Times> {
  const query = `select: ${select} | from: project_logs('${checkout.projectId}')`;
  const cpu = await checkout.cpuSeconds();
  const start = performance.now();
  let first = NaN;
  for await (const _ of await checkout.stream('/query', JSON.stringify({ query, fmt })))
    if (Number.isNaN(first)) first = performance.now() - start;
  const all = performance.now() - start;
  return { first: first / 1000, all: all / 1000, cpu: (await checkout.cpuSeconds()) - cpu };
}

interface Asked {
  readonly title: string;
  readonly log: Checkout;
  readonly select: string;
  readonly fmt: string;
}

const middle = (times: readonly Times[]): Times => ({
  first: median(times.map(({ first }) => first)),
  all: median(times.map(({ all }) => all)),
  cpu: median(times.map(({ cpu }) => cpu)),
});

/** Medians of rounds in which both are asked in turn, after one that is not counted. */
async function compare(one: Asked, other: Asked): Promise<readonly (readonly Cell[])[]> {
  const times: readonly [Times[], Times[]] = [[], []];
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [place, { log, select, fmt }] of [one, other].entries()) {
      const taken = await ask(log, select, fmt);
      if (round > 0) times[place]!.push(taken);
    }
  const [base, compared] = [middle(times[0]), middle(times[1])];
  return [
    [one.title, base.all, base.cpu, base.first / base.all, 1],
    [
      other.title,
      compared.all,
      compared.cpu,
      compared.first / compared.all,
      compared.all / base.all,
    ],
  ];
}

const pathsOf = (log: Checkout, title: string): Asked => ({
  title: `eight paths, ${title}`,
  log,
  select: paths.join(', '),
  fmt: 'parquet',
});

const allOf = (log: Checkout, fmt: string, title: string): Asked => ({
  title: `select *, ${title}`,
  log,
  select: '*',
  fmt,
});

interface Place {
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Each log is on a server of its own, so that all of it is in the place that is measured. */
async function measurePlace({ title, environment }: Place): Promise<readonly (readonly Cell[])[]> {
  const checkouts = [
    ...(await openCheckouts(undefined, environment)),
    ...(await openCheckouts(undefined, environment)),
  ];
  try {
    for (const [index, checkout] of checkouts.entries()) {
      await storeLog(checkout, index === 1);
      if (title === 'segments') await untilInSegments(checkout);
    }
    const [small, large] = checkouts;
    return [
      ...(await compare(pathsOf(small!, title), pathsOf(large!, `${title}, integers beyond 2^53`))),
      ...(await compare(
        allOf(small!, 'parquet', `${title}, Parquet`),
        allOf(small!, 'arrow', `${title}, Arrow`),
      )),
    ];
  } finally {
    await closeSides(checkouts);
  }
}

const keptRows = String(10 * Number(values.rows));

const places: readonly Place[] = [
  {
    title: 'buffer',
    environment: { EVALSTORE_FLUSH_SECONDS: '86400', EVALSTORE_FLUSH_ROWS: keptRows },
  },
  { title: 'segments', environment: { EVALSTORE_FLUSH_SECONDS: '1' } },
];

const header = [`${values.rows} rows`, 's', 's of processor', 'first byte, share', 'times'];
for (const place of places) console.log(`${table(header, await measurePlace(place))}\n`);
