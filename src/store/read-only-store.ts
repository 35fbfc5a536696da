// A read-only store over a data directory that no server uses. It creates, changes and removes nothing in the directory. Its
// snapshots are those of `EventStore`.
import path from 'node:path';
import type { Writer } from '../duckdb/writer.js';
import { sql, type Sql } from '../duckdb/sql.js';
import { LastWrites } from './commit/last-writes.js';
import { Reclamation } from './file/reclamation.js';
import { EventLog, logDirectory } from './log/event-log.js';
import { ReaderFeed } from './read/reader-feed.js';
import { defaultSlices } from './read/slices.js';
import { ReadSession } from './read/read-session.js';
import type { ReadSize } from './read/reader.js';
import type { Snapshot } from './read/snapshot.js';
import { takeSnapshot, type SharedParts } from './read/take-snapshot.js';
import { loadState } from './recovery/load-state.js';
import { Supersessions } from './row/supersessions.js';
import { CheckedFiles } from './segment/checked-files.js';
import { SegmentFiles } from './segment/segment-files.js';
import { withDefaults, type EventStoreOptions } from './store-options.js';
import {
  notBefore,
  openLanes,
  openLookup,
  readerSettings,
  type StoreDirectories,
} from './store-parts.js';

export type ReadOptions = Pick<
  EventStoreOptions,
  | 'dataDirectory'
  | 'queryMemoryMb'
  | 'queryThreads'
  | 'queryTimeoutMs'
  | 'queryConcurrency'
  | 'queryQueueLength'
  | 'lastXactId'
>;

export class ReadOnlyStore {
  readonly #parts: SharedParts;
  readonly #log: EventLog;

  private constructor(parts: SharedParts, log: EventLog) {
    this.#parts = parts;
    this.#log = log;
  }

  /**
   * @param database the database of the directory, with all migrations applied; the caller closes it
   * @param temporaryDirectory an empty directory outside of the data directory, for files of buffered rows
   * @throws DamagedLog, or an error of the file system
   */
  static async open(
    database: Pick<Writer, 'read'>,
    options: ReadOptions,
    temporaryDirectory: string,
  ): Promise<ReadOnlyStore> {
    const segmentDirectory = path.resolve(options.dataDirectory, 'segments');
    const directories: StoreDirectories = { temporaryDirectory, segmentDirectory };
    const files = new SegmentFiles(segmentDirectory);
    const log = EventLog.openToRead(logDirectory(options.dataDirectory));
    const supersessions = new Supersessions();
    const loaded = await loadState(database, log, supersessions);
    const state = notBefore(loaded.state, options.lastXactId ?? 0n);
    const checked = new CheckedFiles(files, () => {});
    checked.add(state.segments, 'before');
    const reclamation = new Reclamation();
    const reading = { log, supersessions, reclamation, committed: () => state };
    const parts = {
      feed: new ReaderFeed(readerSettings(options, directories), reading),
      reclamation,
      lanes: openLanes(options),
      files,
      checked,
      lookup: openLookup(withDefaults(options), directories, files, checked),
      slices: defaultSlices,
      lastWrites: new LastWrites(state.lastXactId),
    };
    return new ReadOnlyStore(parts, log);
  }

  /** Takes a snapshot at `version`, or at the last transaction. The caller releases it. */
  snapshot(version: bigint | null = null): Promise<Snapshot> {
    return takeSnapshot(this.#parts, version, '');
  }

  /** The engine's plan as text. With `isAnalyzed`, runs the query, and the plan has the time of each operator. */
  async plan(query: Sql, lane: ReadSize, isAnalyzed: boolean): Promise<string> {
    const { feed, checked, lanes } = this.#parts;
    const { reader } = await feed.current();
    const times = { waited: 0, read: 0 };
    const caller = { client: '', signal: undefined, times, onClosed: () => reader.unpin() };
    const session = await ReadSession.open(reader, checked, lanes[lane], caller);
    try {
      const rows = await session.read(
        isAnalyzed ? sql`EXPLAIN ANALYZE ${query}` : sql`EXPLAIN ${query}`,
      );
      return rows.map((row) => String(row['explain_value']).trimEnd()).join('\n');
    } finally {
      await session.close();
    }
  }

  async close(): Promise<void> {
    this.#parts.checked.close();
    await this.#parts.feed.close();
    await this.#parts.lookup.close();
    await this.#log.close();
  }
}
