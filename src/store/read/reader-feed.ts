// Keeps the reader in step with what is committed: changes are owed to it until it has taken them up.
import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '../../duckdb/engine-error.js';
import { unavailable } from '../../errors.js';
import { ReaderDemand } from './reader-demand.js';
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
  readonly #demand: ReaderDemand;
  /** Undefined until the first one is built. */
  #reader: Reader | undefined;
  #committed: StoreState;
  #owed: StoreChange[] = [];
  #owedRows = 0;
  #forgotten = 0;
  #awaiting: Awaiting[] = [];
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * A reader is built at once. What the buffer holds it takes up when somebody asks or more comes: else that would be most
   * of the memory of a server that was just started.
   */
  constructor(settings: FeedSettings, buffer: WriteBuffer, state: StoreState, now: () => number) {
    this.#settings = settings;
    this.#buffer = buffer;
    this.#demand = new ReaderDemand(now, () => void this.#start().catch(() => {}));
    this.#committed = state;
    this.#start(() => this.#prepare()).catch(() => {});
  }

  /** Never fails and never waits: what the reader cannot take up now stays owed. */
  push(change: StoreChange): void {
    if (this.#demand.canWait(change.rowCount)) {
      this.forget(change.state);
      this.#tellAwaiting();
      return;
    }
    this.#owed.push(change);
    this.#owedRows += change.rowCount;
    this.#committed = change.state;
    if (this.#owedRows <= owedRowsMax) return this.#startInTime();
    this.forget(change.state);
    this.#start().catch(() => {});
  }

  /** Lets go of what is owed: a reader that is behind `state` has to read it from disk. */
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
    this.#demand.asked();
    const wanted = this.#committed.change;
    let isJoined = this.#running !== undefined;
    for (;;) {
      const reader = this.#usable;
      if (reader !== null && reader.state.change >= wanted) {
        reader.pin();
        return reader;
      }
      try {
        await this.#start();
      } catch (error) {
        // Work that began before this call may have failed at rows that have been flushed since.
        if (!isJoined) throw error;
        isJoined = false;
      }
    }
  }

  /** Calls `told` once no read can begin any more that sees less than what was committed by now. */
  afterwards(told: () => void): void {
    this.#awaiting.push({ change: this.#committed.change, told });
    this.#tellAwaiting();
    if (this.#awaiting.length > 0 && this.#owed.length > 0) this.#start().catch(() => {});
  }

  /** Frees what is kept of sources that no snapshot reads any more. */
  async discard(generations: readonly number[], segments: readonly number[]): Promise<void> {
    await this.#reader?.discard(generations, segments);
  }

  async close(): Promise<void> {
    this.#demand.close();
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
    if (this.#owed.length === 0) return;
    const start = () => void this.#start().catch(() => {});
    if (this.#owedRows >= promptRows) start();
    else this.#timer ??= setTimeout(start, this.#settings.patienceMs).unref();
  }

  #start(work = () => this.#run()): Promise<void> {
    this.#demand.met();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= work()
      .finally(() => {
        this.#running = undefined;
        this.#tellAwaiting();
      })
      .then(() => this.#startInTime());
    return this.#running;
  }

  async #prepare(): Promise<void> {
    this.#reader = await Reader.build(this.#settings);
  }

  async #run(): Promise<void> {
    await this.#applyOwed();
    if (this.#usable !== null) return;
    await this.#bringUp();
    await this.#applyOwed();
  }

  async #applyOwed(): Promise<void> {
    const reader = this.#usable;
    if (reader !== null && this.#owed.length > 0) await this.#apply(reader, [...this.#owed]);
  }

  async #apply(reader: Reader, changes: readonly StoreChange[]): Promise<void> {
    const isDone = await this.#attempt(
      reader,
      () => reader.apply(changes),
      () => this.#usable === reader,
    );
    if (isDone) this.#settle(changes);
  }

  async #catchUp(reader: Reader): Promise<void> {
    const state = this.#committed;
    const isDone = await this.#attempt(
      reader,
      () => reader.catchUp(this.#buffer, state),
      () => !reader.failed,
    );
    if (isDone) this.#owe(state);
  }

  /** False when the reader failed for good, or nobody wants the work any more. */
  async #attempt(
    reader: Reader,
    work: () => Promise<void>,
    isWanted: () => boolean,
  ): Promise<boolean> {
    for (let attempt = 1; isWanted(); attempt++) {
      try {
        await work();
        return true;
      } catch (error) {
        if (!isEngineError(error, 'memory') || attempt === attemptsMax) reader.failed = true;
        else await delay(attemptEveryMs);
      }
    }
    return false;
  }

  #settle(changes: readonly StoreChange[]): void {
    this.#tellAwaiting();
    if (this.#owed[0] !== changes[0]) return;
    this.#owed.splice(0, changes.length);
    this.#owedRows = this.#owed.reduce((rows, change) => rows + change.rowCount, 0);
  }

  #tellAwaiting(): void {
    // A reader that has to be brought up takes up what is committed then.
    const atRest = this.#running === undefined ? Infinity : -Infinity;
    const change = this.#usable?.state.change ?? atRest;
    const due = this.#awaiting.filter((waiting) => waiting.change <= change);
    this.#awaiting = this.#awaiting.filter((waiting) => waiting.change > change);
    for (const { told } of due) told();
  }

  async #bringUp(): Promise<void> {
    if (this.#reader?.failed === false) await this.#catchUp(this.#reader);
    if (this.#reader?.failed !== false) await this.#replace();
  }

  async #replace(): Promise<void> {
    const state = this.#committed;
    const reader = await this.#build(state).catch(refuse);
    const old = this.#reader;
    this.#reader = reader;
    this.#owe(state);
    // Closing waits for the snapshots that still read it.
    void old?.unpin().catch(() => {});
  }

  async #build(state: StoreState): Promise<Reader> {
    const reader = await Reader.build(this.#settings);
    try {
      await reader.catchUp(this.#buffer, state);
      return reader;
    } catch (error) {
      await reader.unpin();
      throw error;
    }
  }

  /** Only what came after `state`. */
  #owe(state: StoreState): void {
    this.#owed = this.#owed.filter((change) => change.state.change > state.change);
    this.#owedRows = this.#owed.reduce((rows, change) => rows + change.rowCount, 0);
    this.#tellAwaiting();
  }
}
