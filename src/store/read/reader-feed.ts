// Keeps the reader in step with what is committed: changes are owed to it until it has taken them up.
import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '../../duckdb/engine-error.js';
import { unavailable } from '../../errors.js';
import { Reader, type ReaderSettings } from './reader.js';
import type { StoreChange, StoreState } from '../store-state.js';
import type { WriteBuffer } from '../commit/write-buffer.js';

/** More owed rows than this are let go: a rebuild reads them from disk again. */
const owedRowsMax = 50_000;
/** While queries use up the reader's memory a change is tried this often before a new reader is built. */
const attemptsMax = 50;
const attemptEveryMs = 20;
/** So many owed rows are handed on at once: a transaction of the reader costs as much as they do. */
const promptRows = 256;

export interface FeedSettings extends ReaderSettings {
  /** Fewer owed rows are handed on after so long, or when somebody wants to read. */
  readonly patienceMs: number;
}

interface Awaiting {
  readonly change: number;
  readonly told: () => void;
}

function refuse(error: unknown): never {
  if (!isEngineError(error, 'storage')) throw error;
  throw unavailable(
    'the storage is full or cannot be written: events that are not in segments yet cannot be read',
  );
}

export class ReaderFeed {
  readonly #settings: FeedSettings;
  readonly #buffer: WriteBuffer;
  /** Undefined until the first one is built. */
  #reader: Reader | undefined;
  #committed: StoreState;
  #owed: StoreChange[] = [];
  #owedRows = 0;
  #forgotten = 0;
  #awaiting: Awaiting[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** A reader of what the buffer held at `state` is built at once; snapshots wait for it, inserts do not. */
  constructor(settings: FeedSettings, buffer: WriteBuffer, state: StoreState) {
    this.#settings = settings;
    this.#buffer = buffer;
    this.#committed = state;
    this.#start().catch(() => {});
  }

  /** Never fails and never waits: what the reader cannot take up now stays owed. */
  push(change: StoreChange): void {
    this.#owed.push(change);
    this.#owedRows += change.rowCount;
    this.#committed = change.state;
    if (this.#owedRows > owedRowsMax) this.forget(change.state);
    this.#startInTime();
  }

  /** Lets go of what is owed: a reader that is behind `state` has to be built from disk. */
  forget(state: StoreState): void {
    this.#forgotten = state.change;
    this.#committed = state;
    this.#owed = [];
    this.#owedRows = 0;
  }

  /**
   * The reader with everything in it that was committed before the call, pinned for the caller.
   * @throws RequestError 503 when a new one is needed and the disk is full
   */
  async current(): Promise<Reader> {
    const wanted = this.#committed.change;
    for (;;) {
      const reader = this.#usable;
      if (reader !== null && reader.state.change >= wanted) {
        reader.pin();
        return reader;
      }
      await this.#start();
    }
  }

  /** Calls `told` once the reader shows what was committed by now; never while it is behind. */
  afterwards(told: () => void): void {
    this.#awaiting.push({ change: this.#committed.change, told });
    this.#tellAwaiting();
    if (this.#awaiting.length > 0) this.#start().catch(() => {});
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    await this.#reader?.discard(generations, segments);
  }

  async close(): Promise<void> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    clearTimeout(this.#timer);
    await this.#reader?.unpin();
  }

  get #usable(): Reader | null {
    const reader = this.#reader;
    if (reader === undefined || reader.failed) return null;
    return reader.state.change < this.#forgotten ? null : reader;
  }

  #startInTime(): void {
    if (this.#usable === null || this.#owedRows >= promptRows) {
      this.#start().catch(() => {});
    } else if (this.#owed.length > 0) {
      const start = () => this.#start().catch(() => {});
      this.#timer ??= setTimeout(start, this.#settings.patienceMs).unref();
    }
  }

  #start(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#run()
      .finally(() => (this.#running = undefined))
      .then(() => this.#startInTime());
    return this.#running;
  }

  async #run(): Promise<void> {
    if (this.#owed.length > 0 && this.#usable !== null) await this.#applyOwed(this.#usable);
    if (this.#usable === null) await this.#replace();
  }

  async #applyOwed(reader: Reader): Promise<void> {
    const changes = [...this.#owed];
    for (let attempt = 1; this.#usable === reader; attempt++) {
      try {
        await reader.apply(changes);
        this.#settle(changes);
        return;
      } catch (error) {
        if (!isEngineError(error, 'memory') || attempt === attemptsMax) reader.failed = true;
        else await delay(attemptEveryMs);
      }
    }
  }

  #settle(changes: readonly StoreChange[]): void {
    this.#tellAwaiting();
    if (this.#owed[0] !== changes[0]) return;
    this.#owed.splice(0, changes.length);
    this.#owedRows = this.#owed.reduce((rows, change) => rows + change.rowCount, 0);
  }

  #tellAwaiting(): void {
    const reader = this.#usable;
    if (reader === null) return;
    const { change } = reader.state;
    const due = this.#awaiting.filter((waiting) => waiting.change <= change);
    this.#awaiting = this.#awaiting.filter((waiting) => waiting.change > change);
    for (const { told } of due) told();
  }

  async #replace(): Promise<void> {
    const state = this.#committed;
    const reader = await Reader.build(this.#settings, this.#buffer, state).catch(refuse);
    const old = this.#reader;
    this.#reader = reader;
    this.#owed = this.#owed.filter((change) => change.state.change > state.change);
    this.#owedRows = this.#owed.reduce((rows, change) => rows + change.rowCount, 0);
    this.#tellAwaiting();
    // Closing waits for the snapshots that still read it.
    void old?.unpin().catch(() => {});
  }
}
