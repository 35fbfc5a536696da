// The state of a store is loaded again while flushes and reads use what is there.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { UnknownOutcomeError } from '../../src/errors.js';
import { checkStore } from '../../src/store/check/check-store.js';
import { EventLog, logDirectory } from '../../src/store/log/event-log.js';
import type { PurgedSegment } from '../../src/store/maintenance/maintenance.js';
import { loadState } from '../../src/store/recovery/load-state.js';
import { Supersessions } from '../../src/store/row/supersessions.js';
import { openStore, type TestStore } from '../support/open-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { waitUntil } from '../support/wait-until.js';

describe('a state that is loaded again', () => {
  const directory = temporaryDirectory();

  it('is complete at every moment', async () => {
    const opened = await openStore(directory(), { flushRows: 1_000_000 });
    await opened.insert('e', { id: 'in a segment' }, { id: 'in both' });
    await opened.store.flush();
    await opened.insert('e', { id: 'in both' }, { id: 'buffered' });
    await opened.close();

    const file = path.join(directory(), 'meta.duckdb');
    const writer = await Writer.open(file, { memoryMb: 200, threads: 1 });
    const supersessions = new Supersessions();
    let isLoaded = false;
    let seen = 0;
    const check = () => {
      if (!isLoaded) return;
      expect(supersessions.all([first])).to.have.length(1);
      expect(log.eventAt(last, 1).id).to.equal('buffered');
      seen += 1;
    };
    const log = await EventLog.open(logDirectory(directory()), check);
    const reading: Pick<Writer, 'read'> = {
      read: async (query) => {
        const rows = await writer.read(query);
        check();
        return rows;
      },
    };
    const { state } = await loadState(reading, log, supersessions);
    const [first, last] = [state.segments[0]!.source, state.active.source];
    isLoaded = true;
    expect((await loadState(reading, log, supersessions)).state).to.deep.equal(state);
    check();
    expect(seen).to.be.above(3);
    await log.close();
    await writer.close();
  });
});

describe('a publication whose outcome was unknown', () => {
  const directory = temporaryDirectory();
  let opened: TestStore;
  let failures: unknown[];
  let purged: PurgedSegment[];
  let merges: number;
  let repair: () => void;

  beforeEach(async () => {
    [failures, purged, merges] = [[], [], 0];
    const before = await openStore(directory(), { flushRows: 1_000_000 });
    for (const id of ['a', 'b', 'c']) {
      await before.insert('e', { id });
      await before.store.flush();
    }
    await before.close();
  });
  afterEach(async () => {
    await opened.close();
    expect(await checkStore(directory())).to.deep.equal([]);
  });

  /**
   * Merges the first two of three segments. The merge is in the manifest, but the store does not know this before `repair`.
   * @param written called when the merge is written
   */
  async function mergeTwo(written?: (store: TestStore) => Promise<void>): Promise<void> {
    const opening = openStore(directory(), {
      flushRows: 1_000_000,
      compaction: { fanOut: 2, rowsMax: 2 },
      hooks: {
        reached: async (step) => {
          if (step !== 'compaction-middle') return;
          if (++merges > 1) return repair();
          const store = await opening;
          await written?.(store);
          repair = loseNextOutcome(store.writer);
        },
        failed: (error) => failures.push(error),
        purged: (segment) => purged.push(segment),
      },
    });
    opened = await opening;
    await waitUntil('the outcome is unknown', () => failures.length === 1);
  }

  const sources = async (): Promise<readonly number[]> =>
    (await opened.writer.read(sql`SELECT source FROM segment ORDER BY source`)).map(
      ({ source }) => source as number,
    );

  /** Removes the rows of the first segment, and lets a read find this. */
  async function loseFirst(from: TestStore): Promise<void> {
    const folder = path.join(directory(), 'segments', 'project_id=project');
    const rowFiles = (await readdir(folder)).filter((name) => /\d\.parquet$/.test(name)).sort();
    await rm(path.join(folder, rowFiles[0]!));
    const snapshot = await from.store.snapshot();
    expect(await rejection(from.live('e', snapshot))).to.include({ status: 503 });
    await snapshot.release();
  }

  it('removes no file of a segment that the manifest lists, when another merge is tried next', async () => {
    await mergeTwo(loseFirst);
    opened.store.purge([]);
    await waitUntil('the second merge is written', () => merges === 2);
    await opened.store.flush();
    expect(await sources()).to.have.lengthOf(2);
    expect(await opened.live('e')).to.have.all.keys('a', 'b', 'c');
  });

  it('does not keep a purge from removing all segments of the project', async () => {
    await mergeTwo();
    repair();
    const listed = await sources();
    opened.store.purge(['project']);
    await opened.store.flush();
    expect(await sources()).to.deep.equal([]);
    expect(purged.map(({ source }) => source)).to.have.members(listed);
  });
});

/**
 * The next transaction is committed, and reported as one of unknown outcome.
 * @returns a function that ends this; until then nothing can be read
 */
function loseNextOutcome(writer: Writer): () => void {
  const transaction = writer.transaction.bind(writer);
  const read = writer.read.bind(writer);
  writer.transaction = async (work) => {
    writer.transaction = transaction;
    await transaction(work);
    writer.read = () => Promise.reject(new Error('EIO'));
    throw new UnknownOutcomeError(null);
  };
  return () => {
    writer.read = read;
  };
}
