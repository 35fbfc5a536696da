// The version of the segment format, and the columns that files of earlier versions lack.
import type { JsonColumn } from '../../schema/event-columns.js';

/**
 * The version that is written. In version 1 narrow files have all rows. Up to version 2 the order of rows was not verified.
 * Up to version 3 there is no column `classifications`. Up to version 4 a number that a double cannot hold marks all numbers of its
 * column and row as `elsewhere`.
 */
export const segmentFormatVersion = 5;

/** Whether `elsewhere` of a number can be true because of another number of its row. */
export const marksNeighbours = (format: number): boolean => format < 5;

/** Event columns that later versions added, each with the first version that has it. */
const addedColumns: readonly (readonly [column: JsonColumn, since: number])[] = [
  ['classifications', 4],
];

/** The event columns that files of this version lack; they are NULL in all of their rows. */
export const missingColumns = (format: number): readonly JsonColumn[] =>
  addedColumns.filter(([, since]) => format < since).map(([column]) => column);
