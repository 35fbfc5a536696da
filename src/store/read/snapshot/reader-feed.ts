// Brings the reader up to date before each snapshot: it adds the supersessions and the files of buffered rows that the reader
// lacks. Concurrent snapshots share one refresh.
import { isEngineError } from '../../../duckdb/engine-error.js';
import { unavailable } from '../../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { StoreState } from '../../manifest/store-state.js';
import type { Supersessions } from '../../row/supersessions.js';
import type { Reclamation } from '../../file/reclamation.js';
import { Reader, type ReaderSettings } from '../engine/reader.js';
import { TailFiles, type TailTables } from './tail-files.js';

/** A state of the store, and the tables of its buffered rows. */
export interface ReadState {
  readonly reader: Reader;
  readonly state: StoreState;
  readonly tails: TailTables;
}

export interface FeedDeps {
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly reclamation: Reclamation;
  /** Returns the current state. */
  readonly committed: () => StoreState;
}

/** A reader that fails is replaced, at most twice per snapshot. */
const attemptsMax = 3;

/**
 * The engine keeps 55 KB per file that it has read, even after the file is removed. A reader that has read `filesMany` files is
 * replaced at the next flush, when its successor has few files to write; at `filesMax` it is replaced at once.
 */
const filesMany = 200;
const filesMax = 2000;

interface FedReader {
  readonly reader: Reader;
  readonly tails: TailFiles;
  /** The number of supersessions that the reader has, by source. */
  superseded: ReadonlyMap<number, number>;
}

function refuse(error: unknown): never {
  if (!isEngineError(error, 'storage', 'memory')) throw error;
  throw unavailable(
    'the storage is full or cannot be written: events that are not in segments yet cannot be read',
  );
}

export class ReaderFeed {
  readonly #settings: ReaderSettings;
  readonly #parts: FeedDeps;
  #fed: FedReader | undefined;
  #current: ReadState | undefined;
  #isWorn = false;
  /** Replaced readers, until `#current` no longer refers to them. */
  #former: FedReader[] = [];
  #refreshing: Promise<void> | undefined;

  constructor(settings: ReaderSettings, parts: FeedDeps) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Builds a reader in the background, so that the first query does not wait for it. */
  start(): void {
    this.#once(async () => void (await this.#usable())).catch(() => {});
  }

  /** Discards the reader, after the committed state was replaced. */
  forget(): void {
    if (this.#fed !== undefined) this.#fed.reader.failed = true;
    this.#current = undefined;
  }

  /**
   * A state that includes everything that is committed now. Pins its reader; the caller unpins it.
   * @throws RequestError 503 if neither disk nor memory has room for the buffered rows
   */
  async current(): Promise<ReadState> {
    const wanted = this.#parts.committed().change;
    // A refresh that began before this call may fail because its rows have been flushed since.
    let attempts = this.#refreshing === undefined ? attemptsMax : attemptsMax + 1;
    for (;;) {
      const current = this.#current;
      if (current !== undefined && !current.reader.failed && current.state.change >= wanted) {
        current.reader.pin();
        return current;
      }
      try {
        await this.#once(() => this.#refresh());
      } catch (error) {
        if (--attempts === 0) return refuse(error);
      }
    }
  }

  /** Frees the rows and supersessions of sources that no snapshot reads. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    await this.#fed?.tails.discard(generations);
    if (generations.length > 0 && (this.#fed?.tails.filesMade ?? 0) > filesMany)
      this.#isWorn = true;
    await this.#fed?.reader.discard([...generations, ...segments]);
  }

  async close(): Promise<void> {
    while (this.#refreshing !== undefined) await this.#refreshing.catch(() => {});
    for (const { reader, tails } of [
      ...this.#former,
      ...(this.#fed === undefined ? [] : [this.#fed]),
    ]) {
      await tails.close();
      await reader.unpin();
    }
  }

  #once(work: () => Promise<void>): Promise<void> {
    this.#refreshing ??= work().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { reclamation, supersessions, committed } = this.#parts;
    // Keeps the logs of the state until they have been read.
    const unpin = reclamation.pin();
    try {
      const fed = await this.#usable();
      const { reader, tails } = fed;
      const state = committed();
      const superseded = supersessions.addedSince(fed.superseded);
      fed.superseded = supersessions.counts();
      await reader.supersede(superseded);
      this.#current = { reader, state, tails: await tails.cover(state) };
      const removeReplaced = tails.takeReplaced();
      if (removeReplaced !== null) reclamation.retire(() => void removeReplaced());
    } finally {
      this.#retireFormer();
      unpin();
    }
  }

  /** Removes the former readers when no snapshot reads them, also after a failure: the next attempt may fail, too. */
  #retireFormer(): void {
    if (this.#current?.reader.failed === true) this.#current = undefined;
    const current = this.#current?.reader;
    // The reader closes when the last snapshot has unpinned it.
    for (const { reader, tails } of this.#former.filter((former) => former.reader !== current))
      this.#parts.reclamation.retire(() => void tails.close().then(() => reader.unpin()));
    this.#former = this.#former.filter((former) => former.reader === current);
  }

  async #usable(): Promise<FedReader> {
    if (this.#fed !== undefined && this.#isFresh(this.#fed)) return this.#fed;
    const reader = await Reader.build(this.#settings);
    if (this.#fed !== undefined) this.#former.push(this.#fed);
    const tails = new TailFiles(this.#parts.log, reader);
    this.#fed = { reader, tails, superseded: new Map() };
    this.#isWorn = false;
    return this.#fed;
  }

  #isFresh({ reader, tails }: FedReader): boolean {
    return !reader.failed && !this.#isWorn && tails.filesMade < filesMax;
  }
}
