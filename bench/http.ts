// npm run bench -- http: processor time of the server for each small request, beside node:http alone and beside the same server with
// authentication and permissions off.
import { parseArgs } from 'node:util';
import { closeSides, openSides, type Side } from './http/sides.js';
import { measureLoad } from './http/measure-load.js';
import { median } from './measure.js';
import { table, type Cell } from './report/markdown.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    beside: { type: 'string' },
  },
});

const clients = 64;

interface Small {
  readonly title: string;
  readonly send: (side: Side, number: number) => Promise<unknown>;
}

const event = (number: number) => ({
  id: `e${number}-${performance.now()}`,
  input: 'How do I reset my password?',
  output: 'Click on Forgot password.',
  scores: { accuracy: 1 },
  metadata: { model: 'small' },
});

const insert = ({ send, projectId }: Side, events: readonly object[]) =>
  send('POST', `/v1/project_logs/${projectId}/insert`, JSON.stringify({ events }));

const requests: readonly Small[] = [
  { title: 'GET /health', send: ({ send }) => send('GET', '/health') },
  { title: 'an insert of no event: no commit', send: (side) => insert(side, []) },
  { title: 'an insert of one event', send: (side, number) => insert(side, [event(number)]) },
];

/** Microseconds of processor time for each of so many requests. */
async function costOf(side: Side, { send }: Small, count: number): Promise<number> {
  let sent = 0;
  const { cpuSeconds } = await measureLoad(side, clients, async () => {
    while (sent < count) await send(side, sent++);
  });
  return (1e6 * cpuSeconds) / count;
}

/** Medians of rounds that go over all servers in turn. */
async function measure(sides: readonly Side[], small: Small): Promise<readonly number[]> {
  const count = Number(values.requests);
  for (const side of sides) await costOf(side, small, count / 2);
  const costs = sides.map((): number[] => []);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [place, side] of sides.entries())
      costs[place]!.push(await costOf(side, small, count));
  return costs.map(median);
}

const sides = await openSides(values.beside);
try {
  const rows: (readonly Cell[])[] = [];
  for (const small of requests) {
    const costs = await measure(sides, small);
    const [open = NaN, own = NaN] = costs.slice(-2);
    rows.push([small.title, ...costs, own / costs[0]!, (100 * (own - open)) / own]);
  }
  const names = sides.map(({ name }) => name);
  console.log(
    table(['µs of processor time', ...names, 'times node:http', 'authentication, %'], rows),
  );
} finally {
  await closeSides(sides);
}
