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

interface SealerParts {
  readonly writer: Writer;
  readonly log: EventLog;
  readonly committer: Committer;
  readonly nextSource: () => number;
  /** Called after every `seal`, also if there was nothing to seal. */
  readonly sealed: () => void;
}

export class Sealer {
  readonly #limits: SealLimits;
  readonly #parts: SealerParts;
  #timer: NodeJS.Timeout | undefined;
  #timed = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #asked = false;

  constructor(limits: SealLimits, parts: SealerParts) {
    this.#limits = limits;
    this.#parts = parts;
  }

  /** To be called at the start and after every change. */
  check(): void {
    const { active } = this.#parts.committer.state;
    if (active.rowCount > 0) this.#watchAge(active);
    this.#watchIdle(active);
    if (this.#asked || !this.#isFull()) return;
    this.#asked = true;
    // After a failure, the next change tries again.
    this.seal(() => this.#isFull())
      .catch(() => {})
      .finally(() => (this.#asked = false));
  }

  /** Seals the active generation if it has rows and `wanted` is still true when the change runs. */
  async seal(wanted: (active: Generation) => boolean = () => true): Promise<void> {
    await this.#parts.committer.change(async (state) =>
      state.active.rowCount > 0 && wanted(state.active) ? this.#begin(state) : null,
    );
    this.#parts.sealed();
  }

  close(): void {
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

  #isFull(): boolean {
    const { active, sealed } = this.#parts.committer.state;
    const { rows, bytes } = this.#limits;
    return sealed.length < sealedMax && (active.rowCount >= rows || active.bytes >= bytes);
  }

  #watchAge({ source }: Generation): void {
    if (this.#timed === source) return;
    this.#timed = source;
    clearTimeout(this.#timer);
    const tooOld = () => {
      this.#timed = 0;
      this.seal((active) => active.source === source).catch(() => {});
    };
    this.#timer = setTimeout(tooOld, this.#limits.seconds * 1000).unref();
  }

  #watchIdle({ bytes }: Generation): void {
    clearTimeout(this.#idleTimer);
    if (bytes < idleBytesMin) return;
    const isIdle = () => void this.seal(({ bytes: now }) => now === bytes).catch(() => {});
    this.#idleTimer = setTimeout(isIdle, this.#limits.idleSeconds * 1000).unref();
  }
}
