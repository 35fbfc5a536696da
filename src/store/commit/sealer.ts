// Seals the active generation when it is full, old, or idle and not small, so that it can be flushed.
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import { UnknownOutcomeError } from '../../errors.js';
import type { EventLog } from '../log/event-log.js';
import {
  emptyGeneration,
  type Generation,
  type StoreChange,
  type StoreState,
} from '../manifest/store-state.js';
import type { Committer } from './committer.js';

export interface SealLimits {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** A generation that is not small is sealed after this time without inserts. */
  readonly idleSeconds: number;
}

/** A smaller generation is not worth a segment of its own. */
const idleBytesMin = 8 * 2 ** 20;

/** While this many generations wait for their flush, the active one grows instead: few large segments are better than many small ones. */
const sealedMax = 8;

/** The time after which a seal that failed is tried again. */
const retryMs = 5_000;

interface SealerDeps {
  readonly writer: Pick<Writer, 'transaction'>;
  readonly log: Pick<EventLog, 'create' | 'discard' | 'removeFailedFrame'>;
  readonly committer: Pick<Committer, 'state' | 'change'>;
  readonly nextSource: () => number;
  /** Called after every `seal`, also if there was nothing to seal. */
  readonly sealed: () => void;
  /** Called with the error of a seal that `check` began. It is tried again. */
  readonly failed: (error: unknown) => void;
}

export class Sealer {
  readonly #limits: SealLimits;
  readonly #parts: SealerDeps;
  #timer: NodeJS.Timeout | undefined;
  #timed = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  /** The generation that is to be sealed because it is old or idle. */
  #due = 0;
  /** Whether a seal runs, or waits until it is tried again. */
  #asked = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(limits: SealLimits, parts: SealerDeps) {
    this.#limits = limits;
    this.#parts = parts;
  }

  /** To be called at the start and after every change. */
  check(): void {
    if (this.#closed) return;
    const { active } = this.#parts.committer.state;
    if (active.rowCount > 0) this.#watchAge(active);
    this.#watchIdle(active);
    if (this.#asked || !this.#isWanted()) return;
    this.#asked = true;
    this.seal(() => this.#isWanted()).then(
      () => (this.#asked = false),
      (error: unknown) => this.#tryLater(error),
    );
  }

  /** Seals the active generation if it has rows and `wanted` is still true when the change runs. */
  async seal(wanted: () => boolean = () => true): Promise<void> {
    await this.#parts.committer.change(async (state) =>
      state.active.rowCount > 0 && wanted() ? this.#begin(state) : null,
    );
    this.#parts.sealed();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
  }

  /** Begins a new generation. */
  async #begin(state: StoreState): Promise<StoreChange> {
    const { log, nextSource } = this.#parts;
    // Recovery would replay a failed frame beside the rows of the repeated request, which are in the next log.
    await log.removeFailedFrame(state.active.source);
    const active = emptyGeneration(nextSource(), state.lastXactId);
    try {
      await this.#list(active);
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError))
        await log.discard([active.source]).catch(() => {});
      throw error;
    }
    const sealed = [...state.sealed, state.active];
    return { state: { ...state, change: state.change + 1, sealed, active }, supersede: () => {} };
  }

  /** The log exists before the manifest lists its generation. */
  async #list({ source, afterXactId }: Generation): Promise<void> {
    const { writer, log } = this.#parts;
    await log.create(source);
    await writer.transaction((connection) =>
      connection.run(sql`INSERT INTO buffer_generation VALUES (${BigInt(source)}, ${afterXactId})`),
    );
  }

  // A full buffer blocks all inserts, so there may be no further change that could try again.
  #tryLater(error: unknown): void {
    if (this.#closed) return;
    this.#parts.failed(error);
    const again = () => {
      this.#asked = false;
      this.check();
    };
    this.#retryTimer = setTimeout(again, retryMs).unref();
  }

  #isWanted(): boolean {
    const { active, sealed } = this.#parts.committer.state;
    const { rows, bytes } = this.#limits;
    const isFull = active.rowCount >= rows || active.bytes >= bytes;
    return active.source === this.#due || (sealed.length < sealedMax && isFull);
  }

  #watchAge({ source }: Generation): void {
    if (this.#timed === source) return;
    this.#timed = source;
    clearTimeout(this.#timer);
    this.#timer = this.#dueIn(this.#limits.seconds, source);
  }

  /** Begins anew with every change. */
  #watchIdle({ source, bytes }: Generation): void {
    clearTimeout(this.#idleTimer);
    if (bytes >= idleBytesMin) this.#idleTimer = this.#dueIn(this.#limits.idleSeconds, source);
  }

  #dueIn(seconds: number, source: number): NodeJS.Timeout {
    const isDue = () => {
      this.#due = source;
      this.check();
    };
    return setTimeout(isDue, seconds * 1000).unref();
  }
}
