// Limits on merges, learned from failures and valid until the next start. A merge that ran out of memory would fail again;
// one that failed for the contents of its files would block all later ones.
import type { Segment } from '../segment/segment.js';

type Member = Pick<Segment, 'source' | 'projectId' | 'bytes'>;

export class MergeLimits {
  readonly #bytesMax = new Map<string, number>();
  readonly #excluded = new Set<number>();

  /** The largest merge in bytes, by project. Projects without a limit have no entry. */
  get bytesMax(): ReadonlyMap<string, number> {
    return this.#bytesMax;
  }

  /** Sources that are excluded from merges. */
  get excluded(): ReadonlySet<number> {
    return this.#excluded;
  }

  /** Halves the limit of the project, after the merge ran out of memory. */
  lower(merge: readonly Member[]): number {
    const bytes = merge.reduce((sum, segment) => sum + segment.bytes, 0);
    const bytesMax = Math.floor(bytes / 2);
    this.#bytesMax.set(merge[0]!.projectId, bytesMax);
    return bytesMax;
  }

  /** Excludes the segments from all merges, after one of them failed and would fail again. */
  exclude(merge: readonly Member[]): void {
    for (const { source } of merge) this.#excluded.add(source);
  }

  /** Whether the segment may be rewritten. */
  allows({ source, projectId, bytes }: Member): boolean {
    return !this.#excluded.has(source) && bytes <= (this.#bytesMax.get(projectId) ?? Infinity);
  }
}
