import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkStore } from '../../src/store/check/check-store.js';
import { openStore } from '../support/open-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

const script = fileURLToPath(new URL('../support/store-process.js', import.meta.url));

interface Acknowledged {
  readonly number: number;
  readonly xactId: bigint;
}

const acknowledged = (output: string): readonly Acknowledged[] =>
  [...output.matchAll(/^(\d+) (\d+)\n/gm)].map(([, number, xactId]) => ({
    number: Number(number),
    xactId: BigInt(xactId!),
  }));

/** Runs the store process behind `command` until `stop` says so of its output, then kills it. */
async function runUntil(
  command: readonly string[],
  stop: (output: string) => boolean,
): Promise<string> {
  const [file, ...args] = command;
  const child = spawn(file!, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const closed = once(child, 'close');
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntil('enough rows', () => stop(output) || ended(), 60_000);
  if (!ended()) process.kill(-child.pid!, 'SIGKILL');
  const [exitCode] = (await closed) as [number | null];
  expect(exitCode, 'the process ends by itself only in good order').to.be.oneOf([null, 0]);
  return output;
}

describe('a killed store', () => {
  const directory = temporaryDirectory();

  it('has every acknowledged row after each of several kills, in the order of the answers', async () => {
    let last = 0n;
    let rows = 0;
    for (let round = 1; round <= 15; round++) {
      const first = round * 1_000_000;
      const enough = (output: string) => acknowledged(output).length >= 50 + 10 * round;
      const output = await runUntil([process.execPath, script, directory(), `${first}`], enough);
      const answered = acknowledged(output);
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

  for (const step of ['segment-written', 'published', 'commit-middle'])
    it(`has every acknowledged row and no orphan after kills at the step ${step}`, async () => {
      const all: Acknowledged[] = [];
      for (let round = 1; round <= 15; round++) {
        const command = [process.execPath, script, directory(), `${round * 1_000_000}`, '4', step];
        all.push(
          ...acknowledged(
            await runUntil(
              [...command, `${step === 'commit-middle' ? 20 + round : 1 + (round % 3)}`],
              () => false,
            ),
          ),
        );
        const opened = await openStore(directory(), {
          flushRows: 1_000_000,
          queryMemoryMb: 1024,
        });
        const live = await opened.live('e');
        for (const { number } of all) expect(live, `round ${round}`).to.have.property(`${number}`);
        await opened.close();
        expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
      }
      expect(all.length).to.be.greaterThan(20);
    });

  it('had its log synchronised before every answer', async function () {
    if (spawnSync('strace', ['-V']).error !== undefined) this.skip();
    const trace = path.join(directory(), 'trace');
    const command = ['strace', '-f', '-o', trace, '-e', 'trace=fsync,fdatasync,write', '-s', '40'];
    const child = [...command, process.execPath, script, directory(), '0', '1'];
    await runUntil(child, (output) => acknowledged(output).length >= 30);
    const calls = (await readFile(trace, 'utf8')).split('\n');
    let synchronised = false;
    let answers = 0;
    for (const call of calls) {
      if (/f(data)?sync(\(\d+\)| resumed>\)) += 0/.test(call)) synchronised = true;
      if (!/ write\(1, "\d+ \d+\\n"/.test(call)) continue;
      expect(synchronised, call).to.equal(true);
      synchronised = false;
      answers += 1;
    }
    expect(answers).to.be.at.least(30);
  });

  it('answers 503 when the disk is full, and has all that was acknowledged before', async () => {
    // A limit on the size of files stands in for the full disk: 3 MB, in units of 512 bytes.
    const limited = `trap '' XFSZ; ulimit -f 6000; exec "$@"`;
    const command = ['sh', '-c', limited, 'sh', process.execPath, script, directory()];
    const output = await runUntil(command, () => false);
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
