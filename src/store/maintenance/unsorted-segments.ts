// Finds segments of older releases whose rows are not sorted. Each segment is read at most once.
import { isOrderVerified, type Segment } from '../segment/segment.js';

export class UnsortedSegments {
  readonly #isOrdered: (segment: Segment) => Promise<boolean>;
  readonly #seen = new Set<number>();

  /** `isOrdered` reads the segment's file. */
  constructor(isOrdered: (segment: Segment) => Promise<boolean>) {
    this.#isOrdered = isOrdered;
  }

  /** The first of `segments` that is out of order, null when there is none. */
  async next(segments: readonly Segment[]): Promise<Segment | null> {
    for (const segment of segments) {
      if (isOrderVerified(segment) || this.#seen.has(segment.source)) continue;
      // A segment that cannot be read is not tried again.
      this.#seen.add(segment.source);
      if (await this.#isOrdered(segment)) continue;
      this.#seen.delete(segment.source);
      return segment;
    }
    return null;
  }
}
