// npm run bench -- scan: processor time of reading an event from the body of an insert, by the decoder and by the scanner.
import { parseArgs } from 'node:util';
import { generateEvents } from './generator/events.js';
import { profiles } from './generator/profile.js';
import { median } from './measure.js';
import { table, type Cell } from './report/markdown.js';
import { pythonText } from './scan/python-text.js';

interface Decode {
  decodeInSteps: (kind: string, body: Buffer) => Generator<readonly unknown[], void>;
  readEvents: (kind: string, events: readonly unknown[], list: object) => readonly unknown[];
}

interface InsertBody {
  readOtherBody: (body: Buffer) => readonly unknown[];
}

const built = (file: string): string =>
  new URL(`../../dist/src/event/${file}`, import.meta.url).href;
const { decodeInSteps, readEvents } = (await import(built('decode.js'))) as Decode;
const { readOtherBody } = (await import(built('insert-body.js'))) as InsertBody;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '20000' },
    batch: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
  },
});

const spellings = { JavaScript: JSON.stringify, Python: pythonText } as const;

const events = [...generateEvents(1, Number(values.events), profiles.full)];

function bodiesOf(spell: (value: unknown) => string): readonly Buffer[] {
  const size = Number(values.batch);
  return Array.from({ length: Math.ceil(events.length / size) }, (_, place) =>
    Buffer.from(spell({ events: events.slice(place * size, (place + 1) * size) })),
  );
}

const readers = {
  decoder: (body: Buffer) =>
    readEvents('project_logs', readOtherBody(body), { plain: false, place: 'events' }).length,
  'scanner, then decoder': (body: Buffer) => [...decodeInSteps('project_logs', body)].flat().length,
} as const;

/** Microseconds of processor time for each event, garbage collection included. */
function costOf(read: (body: Buffer) => number, bodies: readonly Buffer[]): number {
  const before = process.cpuUsage();
  let count = 0;
  for (const body of bodies) count += read(body);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function rowOf(name: string, spell: (value: unknown) => string): readonly Cell[] {
  const bodies = bodiesOf(spell);
  const costs = Object.values(readers).map((): number[] => []);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [place, read] of Object.values(readers).entries())
      costs[place]!.push(costOf(read, bodies));
  const bytes = bodies.reduce((sum, { length }) => sum + length, 0) / events.length;
  const medians = costs.map((each) => median(each));
  return [`${name}, ${Math.round(bytes)} bytes an event`, ...medians, medians[0]! / medians[1]!];
}

const rows = Object.entries(spellings).map(([name, spell]) => rowOf(name, spell));
console.log(table(['µs of processor time per event', ...Object.keys(readers), 'times'], rows));
