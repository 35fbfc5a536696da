// npm run bench -- reads: small reads by one client, of buffered rows and of segments: time and processor time above GET /health.
// With --inserts N, beside N single inserts per second.
import { parseArgs } from 'node:util';
import { closeSides, openCheckouts, type Checkout } from './http/sides.js';
import { median } from './measure.js';
import { startInserts } from './reads/inserts.js';
import { health, questions, type Question } from './reads/questions.js';
import { storeRows, untilInSegments, type Stored } from './reads/rows.js';
import { table, type Cell } from './report/markdown.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '5' },
    /** Rows of the log in segments. */
    rows: { type: 'string', default: '60000' },
    only: { type: 'string', default: '' },
    /** Single inserts per second beside the reads. */
    inserts: { type: 'string', default: '0' },
    beside: { type: 'string' },
  },
});

interface Place {
  readonly title: string;
  readonly logRows: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Rows that take up little stay in the buffer until they are old. */
const buffer: Place = {
  title: 'rows in the buffer',
  logRows: 3600,
  environment: { EVALSTORE_FLUSH_SECONDS: '86400' },
};

const segments: Place = {
  title: 'rows in segments',
  logRows: Number(values.rows),
  environment: { EVALSTORE_FLUSH_SECONDS: '1' },
};

interface Cost {
  /** Median of the requests. */
  readonly milliseconds: number;
  /** Processor time of the server for one request. */
  readonly cpuMilliseconds: number;
}

interface Filled {
  readonly checkout: Checkout;
  readonly stored: Stored;
}

let asked = 0;

async function costOf({ checkout, stored }: Filled, { ask }: Question): Promise<Cost> {
  const times: number[] = [];
  const before = await checkout.cpuSeconds();
  for (let request = 0; request < Number(values.requests); request++) {
    const start = performance.now();
    await ask(checkout, stored, asked++);
    times.push(performance.now() - start);
  }
  const cpuSeconds = (await checkout.cpuSeconds()) - before;
  return { milliseconds: median(times), cpuMilliseconds: (1000 * cpuSeconds) / times.length };
}

const difference = (a: Cost, b: Cost): Cost => ({
  milliseconds: a.milliseconds - b.milliseconds,
  cpuMilliseconds: a.cpuMilliseconds - b.cpuMilliseconds,
});

const medianCost = (costs: readonly Cost[]): Cost => ({
  milliseconds: median(costs.map(({ milliseconds }) => milliseconds)),
  cpuMilliseconds: median(costs.map(({ cpuMilliseconds }) => cpuMilliseconds)),
});

async function aboveHealth(side: Filled, question: Question): Promise<Cost> {
  const idle = await costOf(side, health);
  return difference(await costOf(side, question), idle);
}

let inserted = 0;

async function besideInserts<T>({ checkout, stored }: Filled, work: () => Promise<T>): Promise<T> {
  const perSecond = Number(values.inserts);
  if (perSecond === 0) return work();
  const inserts = startInserts(checkout, perSecond, stored.logRows + inserted);
  try {
    return await work();
  } finally {
    inserted += await inserts.stop();
  }
}

/** Medians of rounds that go over all servers in turn, each beside GET /health of the same server at that time. */
async function measure(sides: readonly Filled[], question: Question): Promise<readonly Cost[]> {
  const costs = sides.map((): Cost[] => []);
  for (const side of sides) await costOf(side, question);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [place, side] of sides.entries()) {
      costs[place]!.push(await besideInserts(side, () => aboveHealth(side, question)));
    }
  return costs.map(medianCost);
}

async function measurePlace({ title, logRows, environment }: Place): Promise<void> {
  const checkouts = await openCheckouts(values.beside, environment);
  try {
    const sides: Filled[] = [];
    for (const checkout of checkouts) {
      const stored = await storeRows(checkout, logRows);
      if (environment === segments.environment) await untilInSegments(checkout);
      sides.push({ checkout, stored });
    }
    const rows: (readonly Cell[])[] = [];
    for (const question of questions.filter((each) => each.title.includes(values.only))) {
      const costs = await measure(sides, question);
      rows.push([
        question.title,
        ...costs.flatMap(({ milliseconds, cpuMilliseconds }) => [milliseconds, cpuMilliseconds]),
      ]);
    }
    const names = checkouts.flatMap(({ name }) => [`${name}, ms`, `${name}, ms of processor`]);
    console.log(`${table([title, ...names], rows)}\n`);
  } finally {
    await closeSides(checkouts);
  }
}

for (const place of [buffer, segments]) await measurePlace(place);
