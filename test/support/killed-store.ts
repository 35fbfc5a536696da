// A store in a process that is killed: what it answered until then, and whether a later start has it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { sql } from '../../src/duckdb/sql.js';
import { allRows, rowsOf, type TestStore } from './open-store.js';
import type { Run } from './store-process.js';

const script = fileURLToPath(new URL('../../server/store-process.js', import.meta.url));

export interface Acknowledged {
  readonly number: number;
  readonly xactId: bigint;
}

export const acknowledged = (output: string): readonly Acknowledged[] =>
  [...output.matchAll(/^(\d+) (\d+)\n/gm)].map(([, number, xactId]) => ({
    number: Number(number),
    xactId: BigInt(xactId!),
  }));

interface Ended {
  readonly output: string;
  readonly signal: NodeJS.Signals | null;
}

/** Runs `command` to its end; kills it as soon as `stop` says so of its output. */
export async function run(
  command: readonly string[],
  stop: (output: string) => boolean = () => false,
): Promise<Ended> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const watch = setInterval(() => stop(output) && child.kill('SIGKILL'), 5);
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearInterval(watch);
  return { output, signal };
}

export const commandOf = (given: Run): readonly string[] => [
  process.execPath,
  script,
  JSON.stringify(given),
];

/** Runs the store process until it is killed, by us or by itself; what it answered until then. */
export async function runUntilKilled(
  given: Run,
  stop?: (output: string) => boolean,
): Promise<readonly Acknowledged[]> {
  const { output, signal } = await run(commandOf(given), stop);
  expect(signal, output.slice(-500)).to.equal('SIGKILL');
  return acknowledged(output);
}

/** The numbers of the pairs that are there. No row is there twice, and no pair by half. */
async function numbersIn(opened: TestStore): Promise<ReadonlySet<number>> {
  const snapshot = await opened.store.snapshot();
  const rows = await allRows(snapshot, sql`SELECT id FROM ${rowsOf(snapshot, 'e')}`);
  await snapshot.release();
  const ids = rows.map(([id]) => id as string).filter((id) => id !== 'last');
  expect(new Set(ids).size, 'rows, each once').to.equal(ids.length);
  const numbers = new Set(ids.map((id) => parseInt(id)));
  expect(ids, 'two rows of each insert').to.have.length(2 * numbers.size);
  return numbers;
}

/** Also what was merged into the row `last` in the same inserts. */
export async function expectKept(
  opened: TestStore,
  answered: readonly Acknowledged[],
): Promise<number> {
  const numbers = await numbersIn(opened);
  for (const { number } of answered) expect(numbers.has(number), `${number}`).to.equal(true);
  const { last = {} } = await opened.live('e');
  for (const number of Object.values(last as Readonly<Record<string, number>>))
    expect(numbers.has(number), `merged ${number}`).to.equal(true);
  return numbers.size;
}
