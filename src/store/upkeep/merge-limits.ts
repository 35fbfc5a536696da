// How large the merged segments of each project may be, as far as merges have run out of memory.
import type { Segment } from '../segment/segment.js';

export class MergeLimits {
  readonly #bytesMax = new Map<string, number>();

  /** Bytes of a merge at most, by project; projects whose merges all succeeded are not there. */
  get bytesMax(): ReadonlyMap<string, number> {
    return this.#bytesMax;
  }

  /** After the merge ran out of memory: from now on the project's may be half as large. */
  lower(merge: readonly Pick<Segment, 'projectId' | 'bytes'>[]): number {
    const bytes = merge.reduce((sum, segment) => sum + segment.bytes, 0);
    const bytesMax = Math.floor(bytes / 2);
    this.#bytesMax.set(merge[0]!.projectId, bytesMax);
    return bytesMax;
  }
}
