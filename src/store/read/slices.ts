// Where to cut the rows of objects, so that a long answer is made of parts that fit in memory.
import { join, sql, within, type Sql } from '../../duckdb/sql.js';

export interface SliceOptions {
  readonly objectIds: readonly string[];
  /** No transaction is divided. */
  readonly keepsTransactions: boolean;
}

/** Transaction ids, both included; null is the open end. */
export interface XactRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** Times of creation in microseconds since 1970, likewise. */
  readonly created?: { readonly from: bigint | null; readonly to: bigint | null };
}

/** What is known of the rows beforehand. */
export interface RowWeight {
  readonly rows: number;
  /** In memory, about. */
  readonly bytes: number;
}

export interface SliceSettings {
  /** In memory, about. */
  readonly bytes: number;
  /** How many rows a slice can have, in descending order. */
  readonly sizes: readonly number[];
}

/** Whole row groups of a segment or even parts of one, since a group that is read in part is decompressed whole. */
export const defaultSlices: SliceSettings = {
  bytes: 16 * 2 ** 20,
  sizes: [20_480, 10_240, 6144, 4096, 2048, 1024, 512],
};

/** How many rows a slice is to have; null when there are too few rows to be cut. */
export function sliceRows(
  { rows, bytes }: RowWeight,
  { bytes: bytesMax, sizes }: SliceSettings,
): number | null {
  const fitting = Math.floor(bytesMax / Math.max(1, bytes / Math.max(1, rows)));
  const wanted = sizes.find((size) => size <= fitting) ?? sizes.at(-1) ?? rows;
  return rows < 2 * wanted ? null : wanted;
}

/** Some rows of one source. */
export interface Slice {
  readonly source: number;
  readonly condition: Sql;
}

/** A source whose rows are to be cut. */
export interface Uncut {
  readonly source: number;
  /** Where its rows are, when they are in the order of their transaction ids and no others among them. */
  readonly together: RowRange | null;
  /** Parenthesised SELECT of their `_xact_id` and `_row`. */
  readonly rows: Sql;
}

/** Numbers of rows, both included. */
export interface RowRange {
  readonly firstRow: number;
  readonly lastRow: number;
}

/** For every so many rows of each source, in the order of which they are numbered: the source, the transaction id of one. */
export const cutsOf = (sources: readonly Uncut[], wanted: number): Sql =>
  join(
    sources.map(
      ({ source, rows }) =>
        sql`SELECT ${BigInt(source)} AS source, _xact_id FROM ${rows} WHERE _row % ${BigInt(wanted)} = 0`,
    ),
    ' UNION ALL ',
  );

/** Newest first. Those of rows that lie together begin where row groups do. */
export function slicesOf(
  { source, together }: Uncut,
  cuts: readonly bigint[],
  wanted: number,
): readonly Slice[] {
  if (together === null)
    return slicesBetween(cuts).map((range) => ({ source, condition: ofTransactions(range) }));
  const { firstRow, lastRow } = together;
  const slices: Slice[] = [];
  for (let row = firstRow; row <= lastRow; row += wanted - (row % wanted)) {
    const last = Math.min(lastRow, row + wanted - (row % wanted) - 1);
    slices.push({ source, condition: sql`_row BETWEEN ${BigInt(row)} AND ${BigInt(last)}` });
  }
  return slices.toReversed();
}

const ofTransactions = (range: XactRange): Sql =>
  join([sql`TRUE`, ...within(sql`_xact_id`, range)], ' AND ');

/** Some rows, and the transaction ids that they are between, both included. */
export interface RowSpan {
  readonly rows: number;
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
}

/** Transaction ids that would be at every `wanted`th row if rows were spread evenly: nothing has to be read for them. */
export function evenCuts({ rows, firstXactId, lastXactId }: RowSpan, wanted: number): bigint[] {
  const parts = BigInt(Math.max(1, Math.ceil(rows / wanted)));
  const length = lastXactId - firstXactId + 1n;
  return Array.from(
    { length: Number(parts) },
    (_, part) => firstXactId + (length * BigInt(part)) / parts,
  );
}

/** The ranges between the cuts, newest first. A transaction is never divided. */
export function slicesBetween(cuts: readonly bigint[]): readonly XactRange[] {
  const descending = [...new Set(cuts)].sort((a, b) => (a < b ? 1 : -1));
  const slices: XactRange[] = [];
  let to: bigint | null = null;
  for (const cut of descending) {
    slices.push({ from: cut, to });
    to = cut - 1n;
  }
  return [...slices, { from: null, to }];
}
