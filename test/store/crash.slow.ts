import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { checkStore } from '../../src/store/check/check-store.js';
import type { Step } from '../../src/store/step.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const script = fileURLToPath(new URL('../support/store-process.js', import.meta.url));

const randomKills = 15;
const killsPerStep = 15;

interface Acknowledged {
  readonly number: number;
  readonly xactId: bigint;
}

const acknowledged = (output: string): readonly Acknowledged[] =>
  [...output.matchAll(/^(\d+) (\d+)\n/gm)].map(([, number, xactId]) => ({
    number: Number(number),
    xactId: BigInt(xactId!),
  }));

interface Ended {
  readonly output: string;
  readonly signal: NodeJS.Signals | null;
}

/** Runs `command` to its end; kills it as soon as `stop` says so of its output. */
async function run(
  command: readonly string[],
  stop: (output: string) => boolean = () => false,
): Promise<Ended> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (stop(output)) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { output, signal };
}

/** Runs the store process until it is killed, by us or by itself; what it answered until then. */
async function runUntilKilled(
  args: readonly string[],
  stop?: (output: string) => boolean,
): Promise<readonly Acknowledged[]> {
  const { output, signal } = await run([process.execPath, script, ...args], stop);
  expect(signal, output.slice(-500)).to.equal('SIGKILL');
  return acknowledged(output);
}

/** Which time that the store comes to the step ends it, by round. */
const times: Readonly<Record<Step, (round: number) => number>> = {
  'segment-written': (round) => 1 + (round % 3),
  'segment-placed': (round) => 1 + (round % 3),
  published: (round) => 1 + (round % 3),
  'compaction-middle': (round) => 1 + (round % 3),
  'log-written': (round) => 20 + round,
  'log-synced': (round) => 20 + round,
};

describe('a killed store', () => {
  const directory = temporaryDirectory();

  it(`has every acknowledged row after each of ${randomKills} kills, in the order of the answers`, async () => {
    let last = 0n;
    let rows = 0;
    for (let round = 1; round <= randomKills; round++) {
      const enough = (output: string) => acknowledged(output).length >= 50 + 10 * round;
      const answered = await runUntilKilled([directory(), `${round * 1_000_000}`], enough);
      const opened = await openStore(directory());
      const live = await opened.live('e');
      for (const { number, xactId } of answered) {
        expect(live, `round ${round}`).to.have.property(`${number}`);
        expect(xactId > last, 'transaction ids grow').to.equal(true);
        last = xactId;
      }
      rows += answered.length;
      const found = Object.keys(live).length;
      // At most the inserts that were under way may be there unanswered: eight in each round.
      expect(found).to.be.within(rows, rows + 8 * round);
      rows = found;
      last = await opened.insert('other', { id: `${round}` });
      await opened.close();
      expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
    }
  });

  for (const [step, timesIn] of Object.entries(times))
    it(`has every acknowledged row and no orphan after each of ${killsPerStep} kills at the step ${step}`, async () => {
      const all: Acknowledged[] = [];
      for (let round = 1; round <= killsPerStep; round++) {
        const first = `${round * 1_000_000}`;
        all.push(...(await runUntilKilled([directory(), first, '4', step, `${timesIn(round)}`])));
        const opened = await openStore(directory(), { flushRows: 1_000_000, queryMemoryMb: 1024 });
        const live = await opened.live('e');
        for (const { number } of all) expect(live, `round ${round}`).to.have.property(`${number}`);
        await opened.close();
        expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
      }
      expect(all.length).to.be.greaterThan(20 * killsPerStep);
    });

  it('answers 503 when the disk is full, and has all that was acknowledged before', async () => {
    // A limit on the size of files stands in for the full disk: 3 MB, in units of 512 bytes.
    const limited = `trap '' XFSZ; ulimit -f 6000; exec "$@"`;
    const command = ['sh', '-c', limited, 'sh', process.execPath, script, directory()];
    const { output } = await run(command);
    const answered = acknowledged(output);
    expect(answered.length).to.be.greaterThan(100);
    expect(output).to.match(
      /failed: (the storage is full or cannot be written, nothing was stored|the storage failed while the write was committed, it may or may not be stored)/,
    );
    const opened = await openStore(directory());
    const live = await opened.live('e');
    for (const { number } of answered) expect(live).to.have.property(`${number}`);
    await opened.close();
  });
});
