// The committed state of the store at one moment, as immutable data: its generations, its segments and the last transaction
// id.
import type { GenerationIndexes } from '../row/row-index.js';
import type { Supersessions } from '../row/supersessions.js';
import type { Segment } from '../segment/segment.js';

/** A generation of buffered rows, with counts that let a read skip filters. */
export interface Generation {
  readonly source: number;
  /** All of its transaction ids are greater than this one. */
  readonly afterXactId: bigint;
  readonly rowCount: number;
  readonly tombstones: number;
  readonly lossless: number;
  /** The size of its rows in the log. */
  readonly bytes: number;
}

/** The committed state up to `lastXactId`. */
export interface StoreState {
  /** Grows with every change, also if only the locations of rows change. */
  readonly change: number;
  /** Grows with every change of the set of segments. */
  readonly publication: number;
  readonly lastXactId: bigint;
  /** The sealed generations, in ascending order. */
  readonly sealed: readonly Generation[];
  /** The generation that takes new rows. */
  readonly active: Generation;
  /** In the order of their transaction ids within each project. */
  readonly segments: readonly Segment[];
  /** By source, the number of its rows that were superseded after it was written. */
  readonly superseded: ReadonlyMap<number, number>;
  /** By object, how often rows of it may have been removed in this process: its rows differ then at every version. */
  readonly removals: ReadonlyMap<string, number>;
  /** Versions before this one may lack rows that have left the history; 0 if all are there. */
  readonly historyFrom: bigint;
}

export const emptyGeneration = (source: number, afterXactId: bigint): Generation => ({
  source,
  afterXactId,
  rowCount: 0,
  tombstones: 0,
  lossless: 0,
  bytes: 0,
});

/** All events of transactions up to this one are in segments, and no later ones. */
export const flushedUpTo = ({ sealed, active }: StoreState): bigint =>
  (sealed[0] ?? active).afterXactId;

/** A transition to the next state. */
export interface StoreChange {
  /** The committed state after it. */
  readonly state: StoreState;
  /** Records its supersessions. Called when `state` becomes the committed state. */
  supersede(known: Supersessions): void;
}

/** The durable state, and the location of the latest version of each buffered row. */
export interface StoredState {
  readonly state: StoreState;
  readonly index: GenerationIndexes;
}
