// Limits on merges, learned from failures and valid until the next start, and how long merges wait after the disk had no room.
import { toEngineError } from '../../duckdb/engine-error.js';
import { shortageIn } from '../../errors.js';
import { namedSegment } from '../segment/damaged-segment.js';
import type { Segment } from '../segment/segment.js';
import type { CompactionLimits } from './compaction-policy.js';

/** A merge that ran out of memory. Merges of the project have this limit until the next start. */
export interface MergeLimit {
  readonly projectId: string;
  readonly bytesMax: number;
  readonly error: unknown;
}

export interface FailedMergeHooks {
  readonly failed: (error: unknown) => void;
  readonly limited: (limit: MergeLimit) => void;
}

const pauseMsMin = 5_000;
const pauseMsMax = 10 * 60_000;

/** How long merges wait after a failure: twice as long after each one in a row. Times are in milliseconds. */
export class MergePause {
  #ms = 0;
  #end = -Infinity;

  /** Begins to wait. Returns whether this is the first failure in a row. */
  begin(now: number): boolean {
    const isFirst = this.#ms === 0;
    this.#ms = Math.min(pauseMsMax, Math.max(pauseMsMin, 2 * this.#ms));
    this.#end = now + this.#ms;
    return isFirst;
  }

  remaining(now: number): number {
    return Math.max(0, this.#end - now);
  }

  end(): void {
    this.#ms = 0;
    this.#end = -Infinity;
  }
}

export class MergeLimits {
  readonly #hooks: FailedMergeHooks;
  /** The largest merge by project: one that ran out of memory would fail again. */
  readonly #bytesMax = new Map<string, number>();
  /** Sources of merges that failed for the contents of their files. They would block all later merges. */
  readonly #excluded = new Set<number>();
  readonly #pause = new MergePause();

  constructor(hooks: FailedMergeHooks) {
    this.#hooks = hooks;
  }

  /** Milliseconds until merges may begin. */
  get delayMs(): number {
    return this.#pause.remaining(performance.now());
  }

  /**
   * @param damaged further sources that are excluded
   * @param room the largest merge for which the disk has room, in bytes
   */
  current(damaged: ReadonlySet<number>, room: number): Omit<CompactionLimits, 'spans'> {
    return { bytesMax: this.#bytesMax, excluded: new Set([...this.#excluded, ...damaged]), room };
  }

  succeeded(): void {
    this.#pause.end();
  }

  /** Learns from the error of a merge. Throws errors that may not occur again. */
  failed(merge: readonly Segment[], error: unknown): void {
    const engineError = toEngineError(error);
    const { kind } = engineError;
    if (kind === 'interrupted' || kind === 'fatal') throw error;
    const { projectId } = merge[0]!;
    if (kind === 'memory') {
      const bytesMax = Math.floor(merge.reduce((sum, { bytes }) => sum + bytes, 0) / 2);
      this.#bytesMax.set(projectId, bytesMax);
      this.#hooks.limited({ projectId, bytesMax, error });
      return;
    }
    const cannot = `segments ${merge.map(({ source }) => source).join(', ')} of project ${projectId} cannot be merged`;
    // A file that cannot be read names its segment. A failed write does not: new files are below `unpublished`.
    if (kind === 'storage' && namedSegment(engineError) === null) {
      if (this.#pause.begin(performance.now()))
        this.#report(
          `${cannot} while ${shortageIn(error) ?? 'the disk is full or cannot be written'}, this is tried again`,
          error,
        );
      return;
    }
    for (const { source } of merge) this.#excluded.add(source);
    this.#report(`${cannot}, they stay as they are until the next start`, error);
  }

  #report(sentence: string, cause: unknown): void {
    this.#hooks.failed(new Error(sentence, { cause }));
  }
}
