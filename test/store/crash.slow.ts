// SIGKILL at random moments and at every named moment of durable work: what was answered is there once, what was not is there
// once or not at all.
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkStore } from '../../src/store/check/check-store.js';
import { logDirectory, logsIn } from '../../src/store/log/event-log.js';
import type { BucketPoint, SyncPoint } from '../../src/store/file/sync-point.js';
import { readGenerations } from '../../src/store/manifest/generations.js';
import {
  acknowledged,
  commandOf,
  expectKept,
  run,
  runUntilKilled,
  type Acknowledged,
} from '../support/killed-store.js';
import { openStore, type TestStore } from '../support/open-store.js';
import type { Run } from '../support/store-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

/** With those of `crash/kill` there are 200 kills. */
const randomKills = 15;
const rounds = 8;
/** What the second start finds was left by a start after a kill. */
const killsPerRound = 2;

/** What a crash left is removed: soon after the start, since flushes go on beside it. */
const expectNoOrphan = ({ writer }: TestStore, directory: string): Promise<void> =>
  waitUntil('the logs are those of the listed generations', async () => {
    const logs = await logsIn(logDirectory(directory));
    const listed = (await readGenerations(writer)).map(({ source }) => source);
    return logs.join() === listed.join();
  });

/** How the process runs that comes to the step, by round. */
type KilledRun = Omit<Run, 'directory' | 'first' | 'step'>;

const flushing = (round: number): KilledRun => ({
  clients: 4,
  flushes: true,
  times: 1 + (round % 3),
});

const steps: Readonly<
  Record<Exclude<SyncPoint, BucketPoint | 'frame-replayed'>, (round: number) => KilledRun>
> = {
  'log-created': flushing,
  'segment-written': flushing,
  'segment-placed': flushing,
  published: flushing,
  'log-dropped': flushing,
  // A client that is alone waits for the removal before it sends what comes next.
  'log-removed': (round) => ({ ...flushing(round), clients: 1 }),
  'compaction-middle': flushing,
  'log-written': (round) => ({ ...flushing(round), times: 1 + 2 * round }),
  'log-synced': (round) => ({ ...flushing(round), times: 1 + 2 * round }),
};

describe('a killed store', () => {
  const directory = temporaryDirectory();

  const reopen = () => openStore(directory(), { flushRows: 1_000_000, queryMemoryMb: 1024 });

  it(`has every acknowledged row after each of ${randomKills} kills, in the order of the answers`, async () => {
    let last = 0n;
    let pairs = 0;
    const all: Acknowledged[] = [];
    for (let round = 1; round <= randomKills; round++) {
      const enough = (output: string) => acknowledged(output).length >= 50 + 10 * round;
      const given = { directory: directory(), first: round * 1_000_000 };
      const answered = await runUntilKilled(given, enough);
      for (const { xactId } of answered) {
        expect(xactId > last, 'transaction ids grow').to.equal(true);
        last = xactId;
      }
      all.push(...answered);
      const opened = await openStore(directory());
      const found = await expectKept(opened, all);
      // At most the inserts that were under way may be there unanswered: eight in each round.
      expect(found - pairs - answered.length).to.be.within(0, 8);
      pairs = found;
      last = await opened.insert('other', { id: `${round}` });
      await opened.close();
      expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
    }
  });

  for (const [step, runIn] of Object.entries(steps))
    it(`has every acknowledged row and no orphan after each of ${rounds * killsPerRound} kills at the step ${step}`, async () => {
      const all: Acknowledged[] = [];
      for (let round = 1; round <= rounds; round++) {
        for (let kill = 1; kill <= killsPerRound; kill++) {
          const first = (killsPerRound * round + kill) * 1_000_000;
          const given = { ...runIn(round), directory: directory(), first, step };
          all.push(...(await runUntilKilled(given)));
        }
        expect(await checkStore(directory()), `killed, round ${round}`).to.deep.equal([]);
        const opened = await reopen();
        await expectKept(opened, all);
        await expectNoOrphan(opened, directory());
        await opened.close();
        expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
      }
      expect(all.length).to.be.greaterThan(rounds);
      expect(existsSync(path.join(directory(), 'segments/set-aside'))).to.equal(false);
    });

  it(`has every acknowledged row after each of ${2 * rounds} kills, of which every second one comes while the log is replayed`, async () => {
    const all: Acknowledged[] = [];
    for (let round = 1; round <= rounds; round++) {
      const first = round * 1_000_000;
      const given = { directory: directory(), first, clients: 1 };
      all.push(...(await runUntilKilled({ ...given, step: 'log-synced', times: 10 })));
      const replaying = { ...given, step: 'frame-replayed', times: 1 + 10 * (round - 1) };
      expect(await runUntilKilled(replaying), 'nothing is answered yet').to.deep.equal([]);
      const opened = await reopen();
      await expectKept(opened, all);
      await opened.close();
      expect(await checkStore(directory()), `round ${round}`).to.deep.equal([]);
    }
    expect(all.length).to.be.at.least(9 * rounds);
  });

  it('answers 503 when the disk is full, and has all that was acknowledged before', async () => {
    // A limit on the size of files stands in for the full disk: 3 MB, in units of 512 bytes.
    const limited = `trap '' XFSZ; ulimit -f 6000; exec "$@"`;
    const command = ['sh', '-c', limited, 'sh', ...commandOf({ directory: directory() })];
    const { output } = await run(command);
    expect(acknowledged(output).length).to.be.greaterThan(100);
    expect(output).to.match(
      /failed: (the storage is full or cannot be written, nothing was stored|the storage failed while the write was committed, it may or may not be stored)/,
    );
    const opened = await openStore(directory());
    await expectKept(opened, acknowledged(output));
    await opened.close();
  });
});
