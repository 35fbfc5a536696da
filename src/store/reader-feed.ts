// Keeps the reader in step with what is committed: groups are owed to it until it has taken them up.
import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '../duckdb/engine-error.js';
import type { CommitGroup } from './commit-group.js';
import { Reader, type ReaderSettings } from './reader.js';
import type { BufferState, WriteBuffer } from './write-buffer.js';

/** More owed rows than this are let go: a rebuild reads them from disk again. */
const owedRowsMax = 50_000;
/** While queries use up the reader's memory a group is tried this often before a new reader is built. */
const attemptsMax = 50;
const attemptEveryMs = 20;

export class ReaderFeed {
  readonly #settings: ReaderSettings;
  readonly #buffer: WriteBuffer;
  #reader: Reader;
  #committed: BufferState;
  #owed: CommitGroup[] = [];
  #owedRows = 0;
  #forgotten = 0n;
  #running: Promise<void> | undefined;

  private constructor(settings: ReaderSettings, buffer: WriteBuffer, reader: Reader) {
    this.#settings = settings;
    this.#buffer = buffer;
    this.#reader = reader;
    this.#committed = reader.state;
  }

  static async open(
    settings: ReaderSettings,
    buffer: WriteBuffer,
    state: BufferState,
  ): Promise<ReaderFeed> {
    return new ReaderFeed(settings, buffer, await Reader.build(settings, buffer, state));
  }

  /** Never fails and never waits: what the reader cannot take up now stays owed. */
  push(group: CommitGroup): void {
    this.#owed.push(group);
    this.#owedRows += group.rowCount;
    this.#committed = group.state;
    if (this.#owedRows > owedRowsMax) this.forget(group.state);
    this.#start().catch(() => {});
  }

  /** Lets go of what is owed: a reader that is behind `state` has to be built from disk. */
  forget(state: BufferState): void {
    this.#forgotten = state.lastXactId;
    this.#committed = state;
    this.#owed = [];
    this.#owedRows = 0;
  }

  /** The reader with everything in it that was committed before the call, pinned for the caller. */
  async current(): Promise<Reader> {
    const wanted = this.#committed.lastXactId;
    while (this.#unusable || this.#reader.state.lastXactId < wanted) await this.#start();
    this.#reader.pin();
    return this.#reader;
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => {});
    await this.#reader.unpin();
  }

  get #unusable(): boolean {
    return this.#reader.failed || this.#reader.state.lastXactId < this.#forgotten;
  }

  #start(): Promise<void> {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#owed.length > 0 && !this.#unusable) await this.#applyOwed();
    if (this.#unusable) await this.#replace();
  }

  async #applyOwed(): Promise<void> {
    const groups = [...this.#owed];
    for (let attempt = 1; !this.#unusable; attempt++) {
      try {
        await this.#reader.apply(groups);
        this.#settle(groups);
        return;
      } catch (error) {
        if (!isEngineError(error, 'memory') || attempt === attemptsMax) this.#reader.failed = true;
        else await delay(attemptEveryMs);
      }
    }
  }

  #settle(groups: readonly CommitGroup[]): void {
    if (this.#owed[0] !== groups[0]) return;
    this.#owed.splice(0, groups.length);
    this.#owedRows = this.#owed.reduce((rows, group) => rows + group.rowCount, 0);
  }

  async #replace(): Promise<void> {
    const state = this.#committed;
    const reader = await Reader.build(this.#settings, this.#buffer, state);
    const old = this.#reader;
    this.#reader = reader;
    this.#owed = this.#owed.filter((group) => group.lastXactId > state.lastXactId);
    this.#owedRows = this.#owed.reduce((rows, group) => rows + group.rowCount, 0);
    // Closing waits for the snapshots that still read it.
    void old.unpin().catch(() => {});
  }
}
