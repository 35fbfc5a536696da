// npm run bench -- logger: the load of a published SDK on /logs3, from one logger, from 16 and from 64, beside node:http alone and
// PostgreSQL.
import { parseArgs } from 'node:util';
import { measureLoad, type Load } from './http/measure-load.js';
import { aloneHeader, measureAlone } from './logger/alone.js';
import { createTrace, parts, type Part, type Trace } from './logger/rows.js';
import { openSenders, type Sender } from './logger/sender.js';
import { median } from './measure.js';
import { table, type Cell } from './report/markdown.js';

const { values } = parseArgs({
  options: {
    traces: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'string', default: '500' },
    beside: { type: 'string' },
  },
});

const loggerCounts = [16, 64];

/** Each logger has its own share of the traces, and sends that part of each. */
const sendPart = (
  sender: Sender,
  traces: readonly Trace[],
  { body, isMerge }: Part,
  loggers: number,
) =>
  measureLoad(sender, loggers, async (logger) => {
    for (let place = logger; place < traces.length; place += loggers)
      await sender.send(body(traces[place]!), isMerge);
  });

/** The parts one after the other: the merges come to rows that were stored a while before. */
async function sendTraces(sender: Sender, loggers: number): Promise<readonly Load[]> {
  const length = Number(values.traces);
  const traces = Array.from({ length }, () => createTrace(sender.projectId));
  const loads: Load[] = [];
  for (const part of parts) loads.push(await sendPart(sender, traces, part, loggers));
  return loads;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const medianLoad = (loads: readonly Load[]): Load => ({
  cpuSeconds: median(loads.map(({ cpuSeconds }) => cpuSeconds)),
  seconds: median(loads.map(({ seconds }) => seconds)),
});

function cellsOf(title: string, of: Pick<Part, 'rows' | 'spans'>, load: Load): readonly Cell[] {
  const traces = Number(values.traces);
  const perSecond = (count: number) => (count === 0 ? null : (count * traces) / load.seconds);
  const microseconds = (1e6 * load.cpuSeconds) / (of.rows * traces);
  return [title, perSecond(of.rows), perSecond(of.spans), microseconds];
}

/** @param rounds of each, the loads of the parts */
function rowsOf(
  { name }: Sender,
  rounds: readonly (readonly Load[])[],
): readonly (readonly Cell[])[] {
  const loads = parts.map((_, place) => medianLoad(rounds.map((round) => round[place]!)));
  const whole = {
    rows: sum(parts.map(({ rows }) => rows)),
    spans: sum(parts.map(({ spans }) => spans)),
  };
  const all = {
    cpuSeconds: sum(loads.map(({ cpuSeconds }) => cpuSeconds)),
    seconds: sum(loads.map(({ seconds }) => seconds)),
  };
  return [
    ...parts.map((part, place) => cellsOf(`${name}: ${part.title}`, part, loads[place]!)),
    cellsOf(`${name}: whole traces`, whole, all),
  ];
}

async function measure(senders: readonly Sender[], loggers: number): Promise<void> {
  const rounds = new Map(senders.map((sender) => [sender, [] as (readonly Load[])[]]));
  for (const sender of senders) await sendTraces(sender, loggers);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [sender, loads] of rounds) loads.push(await sendTraces(sender, loggers));
  const header = [`${loggers} loggers`, 'events/s', 'spans/s', 'µs of processor time per event'];
  const rows = [...rounds].flatMap(([sender, loads]) => rowsOf(sender, loads));
  console.log(`${table(header, rows)}\n`);
}

const senders = await openSenders(values.beside);
try {
  const alone = await measureAlone(senders, Number(values.rounds), Number(values.alone));
  console.log(`${table(aloneHeader, alone)}\n`);
  for (const loggers of loggerCounts) await measure(senders, loggers);
} finally {
  for (const sender of senders) await sender.close();
}
