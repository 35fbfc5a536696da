// Estimates of the number and size of the rows of objects, from the manifest alone.
import { statsOf, type Segment } from '../../segment/segment.js';
import type { StoreState } from '../../manifest/store-state.js';

/** An estimate of the size of rows. */
export interface RowWeight {
  readonly rows: number;
  /** The estimated size in memory. */
  readonly bytes: number;
}

/** The approximate ratio of the size of rows in memory to their size in a segment. */
const compression = 6;

/** Whether reading the rows takes one thread no more time than reading a large page. */
export const hasFewRows = ({ rows, bytes }: RowWeight): boolean =>
  rows <= 100_000 && bytes <= 64 * 2 ** 20;

const rowsOf = (segment: Segment, objectIds: readonly string[]): number =>
  statsOf(segment, objectIds).reduce((sum, { rows }) => sum + rows, 0);

/** An upper estimate for the rows of the objects: it includes superseded rows and all buffered rows. */
export function rowWeight(
  { sealed, active }: StoreState,
  segments: readonly Segment[],
  objectIds: readonly string[],
): RowWeight {
  const weights: readonly RowWeight[] = [
    ...segments.map((segment) => {
      const rows = rowsOf(segment, objectIds);
      return { rows, bytes: (rows / segment.rows) * segment.bytes * compression };
    }),
    ...[...sealed, active].map(({ rowCount, bytes }) => ({ rows: rowCount, bytes })),
  ];
  return {
    rows: weights.reduce((sum, { rows }) => sum + rows, 0),
    bytes: weights.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
