// What is committed at one moment, as unchanging data: the sources of rows and the last transaction id.
import type { Supersessions } from './supersessions.js';
import type { Segment } from './segment/segment.js';

/** Counts what is stored in one buffer generation: the next row number, and what a read may leave out. */
export interface Generation {
  readonly source: number;
  /** Its transaction ids are greater. */
  readonly afterXactId: bigint;
  readonly rowCount: number;
  readonly tombstones: number;
  readonly lossless: number;
  /** What the rows take up in the log. */
  readonly bytes: number;
  /** Likewise, the largest of them. */
  readonly largestBytes: number;
}

/** All that is committed up to `lastXactId`. */
export interface StoreState {
  /** Grows with every change, also with those that only move rows. */
  readonly change: number;
  /** Grows with every change of the set of segments. */
  readonly publication: number;
  readonly lastXactId: bigint;
  /** Sealed ones in their order. */
  readonly sealed: readonly Generation[];
  /** The one that takes new rows. */
  readonly active: Generation;
  /** In the order of their transaction ids within each project. */
  readonly segments: readonly Segment[];
  /** By source: how many of its rows were superseded after they were written there. */
  readonly superseded: ReadonlyMap<number, number>;
}

export const emptyGeneration = (source: number, afterXactId: bigint): Generation => ({
  source,
  afterXactId,
  rowCount: 0,
  tombstones: 0,
  lossless: 0,
  bytes: 0,
  largestBytes: 0,
});

/** One step of the store's history. */
export interface StoreChange {
  /** What is committed after it. */
  readonly state: StoreState;
  /** Notes what it superseded. To be called in the moment in which `state` becomes what is committed. */
  supersede(known: Supersessions): void;
}
