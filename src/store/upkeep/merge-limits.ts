// What merges that failed say of later ones, until the next start: a merge that ran out of memory would do so again, and
// one that failed for what is in its files would fail for ever, and hold up all others.
import type { Segment } from '../segment/segment.js';

type Member = Pick<Segment, 'source' | 'projectId' | 'bytes'>;

export class MergeLimits {
  readonly #bytesMax = new Map<string, number>();
  readonly #setAside = new Set<number>();

  /** Bytes of a merge at most, by project; projects whose merges all had memory enough are not there. */
  get bytesMax(): ReadonlyMap<string, number> {
    return this.#bytesMax;
  }

  /** Sources that no merge takes. */
  get setAside(): ReadonlySet<number> {
    return this.#setAside;
  }

  /** After the merge ran out of memory: from now on the project's may be half as large. */
  lower(merge: readonly Member[]): number {
    const bytes = merge.reduce((sum, segment) => sum + segment.bytes, 0);
    const bytesMax = Math.floor(bytes / 2);
    this.#bytesMax.set(merge[0]!.projectId, bytesMax);
    return bytesMax;
  }

  /** After the merge failed, and would fail again. */
  leaveOut(merge: readonly Member[]): void {
    for (const { source } of merge) this.#setAside.add(source);
  }

  /** Whether the segment may be written anew alone. */
  allows({ source, projectId, bytes }: Member): boolean {
    return !this.#setAside.has(source) && bytes <= (this.#bytesMax.get(projectId) ?? Infinity);
  }
}
