// Brings the reader up to what is committed whenever somebody wants to read: the supersessions and the files of buffered rows
// that it lacks. Reads that come meanwhile share the work.
import { isEngineError } from '../../duckdb/engine-error.js';
import { unavailable } from '../../errors.js';
import type { EventLog } from '../log/event-log.js';
import type { StoreState } from '../manifest/store-state.js';
import type { Supersessions } from '../row/supersessions.js';
import type { Reclamation } from '../file/reclamation.js';
import { Reader, type ReaderSettings } from './reader.js';
import { TailFiles, type TailTables } from './tail-files.js';

/** What a snapshot reads: a state, and where its buffered rows are. */
export interface ReadState {
  readonly reader: Reader;
  readonly state: StoreState;
  readonly tails: TailTables;
}

export interface FeedParts {
  readonly log: EventLog;
  readonly supersessions: Supersessions;
  readonly reclamation: Reclamation;
  /** What is committed by now. */
  readonly committed: () => StoreState;
}

/** An instance that fails is replaced, twice at most for one read. */
const attemptsMax = 3;

/**
 * The engine keeps 55 KB of each file that it has read, also of those that are gone. So an instance that has read many is
 * replaced when a generation is flushed, since its successor then needs few of them anew, or after so many at the latest.
 */
const filesMany = 200;
const filesMax = 2000;

interface Fed {
  readonly reader: Reader;
  readonly tails: TailFiles;
  /** How many supersessions of each source the reader has. */
  superseded: ReadonlyMap<number, number>;
}

function refuse(error: unknown): never {
  if (!isEngineError(error, 'storage')) throw error;
  throw unavailable(
    'the storage is full or cannot be written: events that are not in segments yet cannot be read',
  );
}

export class ReaderFeed {
  readonly #settings: ReaderSettings;
  readonly #parts: FeedParts;
  #fed: Fed | undefined;
  #shown: ReadState | undefined;
  #isWorn = false;
  /** Former ones, until nothing new can read them. */
  #former: Fed[] = [];
  #running: Promise<void> | undefined;

  constructor(settings: ReaderSettings, parts: FeedParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Builds a reader, so that the first query does not wait for it. */
  start(): void {
    this.#once(async () => void (await this.#usable())).catch(() => {});
  }

  /** Everything that was committed may be other than what was read. */
  forget(): void {
    if (this.#fed !== undefined) this.#fed.reader.failed = true;
    this.#shown = undefined;
  }

  /**
   * What is committed, or more, with the reader pinned for the caller.
   * @throws RequestError 503 when there is no room for it
   */
  async current(): Promise<ReadState> {
    const wanted = this.#parts.committed().change;
    // Work that began before this call may fail at rows that have been flushed since.
    let attempts = this.#running === undefined ? attemptsMax : attemptsMax + 1;
    for (;;) {
      const shown = this.#shown;
      if (shown !== undefined && !shown.reader.failed && shown.state.change >= wanted) {
        shown.reader.pin();
        return shown;
      }
      try {
        await this.#once(() => this.#bringUp());
      } catch (error) {
        if (--attempts === 0) return refuse(error);
      }
    }
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    await this.#fed?.tails.discard(generations);
    if (generations.length > 0 && (this.#fed?.tails.made ?? 0) > filesMany) this.#isWorn = true;
    await this.#fed?.reader.discard([...generations, ...segments]);
  }

  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    for (const { reader, tails } of [
      ...this.#former,
      ...(this.#fed === undefined ? [] : [this.#fed]),
    ]) {
      await tails.close();
      await reader.unpin();
    }
  }

  #once(work: () => Promise<void>): Promise<void> {
    this.#running ??= work().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #bringUp(): Promise<void> {
    const { reclamation, supersessions, committed } = this.#parts;
    // The logs of the state stay until they have been read.
    const unpin = reclamation.pin();
    try {
      const fed = await this.#usable();
      const { reader, tails } = fed;
      const state = committed();
      const superseded = supersessions.beyond(fed.superseded);
      fed.superseded = supersessions.counts();
      await reader.supersede(superseded);
      this.#shown = { reader, state, tails: await tails.cover(state) };
      this.#retireFormer(tails.takeReplaced());
    } finally {
      unpin();
    }
  }

  /** What was shown before goes when no snapshot reads it any more, and none can begin to. */
  #retireFormer(removeReplaced: (() => Promise<void>) | null): void {
    const { reclamation } = this.#parts;
    if (removeReplaced !== null) reclamation.retire(() => void removeReplaced());
    // Closing waits for the snapshots that still read it.
    for (const { reader, tails } of this.#former.splice(0))
      reclamation.retire(() => void tails.close().then(() => reader.unpin()));
  }

  async #usable(): Promise<Fed> {
    if (this.#fed !== undefined && this.#isFresh(this.#fed)) return this.#fed;
    const reader = await Reader.build(this.#settings);
    if (this.#fed !== undefined) this.#former.push(this.#fed);
    const tails = new TailFiles(this.#parts.log, reader);
    this.#fed = { reader, tails, superseded: new Map() };
    this.#isWorn = false;
    return this.#fed;
  }

  #isFresh({ reader, tails }: Fed): boolean {
    return !reader.failed && !this.#isWorn && tails.made < filesMax;
  }
}
