// Divides the rows of objects into slices, so that a long answer needs the memory of one slice. The slices of a source are disjoint
// and together hold all of its rows.
import { join, sql, within, type Sql } from '../../duckdb/sql.js';
import type { RowsBetween } from '../row/row-range.js';

export interface SliceOptions {
  readonly objectIds: readonly string[];
  /** Whether all rows of a transaction must be in one slice of their source. */
  readonly keepsTransactions: boolean;
}

/** A range of transaction ids, inclusive; null leaves that end open. */
export interface XactRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
  /** A range of creation times in microseconds since 1970, likewise. */
  readonly created?: { readonly from: bigint | null; readonly to: bigint | null };
}

/** An estimate of the size of rows. */
export interface RowWeight {
  readonly rows: number;
  /** The estimated size in memory. */
  readonly bytes: number;
}

export interface SliceSettings {
  /** The estimated size in memory that a slice should have at most. */
  readonly bytes: number;
  /** The permitted numbers of rows per slice, in descending order. */
  readonly sizes: readonly number[];
}

/** The sizes are multiples or divisors of a row group of 2,048 rows: reading a part of a row group decompresses all of it. */
export const defaultSlices: SliceSettings = {
  bytes: 16 * 2 ** 20,
  sizes: [20_480, 10_240, 6144, 4096, 2048, 1024, 512],
};

/** The number of rows per slice; null if there are too few rows for two slices. */
export function sliceRows(
  { rows, bytes }: RowWeight,
  { bytes: bytesMax, sizes }: SliceSettings,
): number | null {
  const fitting = Math.floor(bytesMax / Math.max(1, bytes / Math.max(1, rows)));
  const wanted = sizes.find((size) => size <= fitting) ?? sizes.at(-1) ?? rows;
  return rows < 2 * wanted ? null : wanted;
}

/** The rows of one source that meet a condition. */
export interface Slice {
  readonly source: number;
  readonly condition: Sql;
}

/** The rows of some objects in one source. */
export interface SourceRows {
  readonly source: number;
  /** Their row numbers, if these are contiguous and ordered by transaction id; null otherwise. */
  readonly contiguous: RowsBetween | null;
  /** Parenthesised SELECT of their `_xact_id` and `_row`. */
  readonly rows: Sql;
}

/** SELECT of (source, _xact_id), one for every `wanted` row numbers of each source. */
export const cutsOf = (sources: readonly SourceRows[], wanted: number): Sql =>
  join(
    sources.map(
      ({ source, rows }) =>
        sql`SELECT ${BigInt(source)} AS source, _xact_id FROM ${rows} WHERE _row % ${BigInt(wanted)} = 0`,
    ),
    ' UNION ALL ',
  );

/**
 * Divides a source, newest rows first: contiguous rows at the row numbers that are multiples of `wanted`, so that slices align with
 * row groups, and other rows at the transaction ids in `cuts`.
 */
export function slicesOf(
  { source, contiguous }: SourceRows,
  cuts: readonly bigint[],
  wanted: number,
): readonly Slice[] {
  if (contiguous === null)
    return slicesBetween(cuts).map((range) => ({ source, condition: ofTransactions(range) }));
  const { firstRow, lastRow } = contiguous;
  const slices: Slice[] = [];
  for (let row = firstRow; row <= lastRow; row += wanted - (row % wanted)) {
    const last = Math.min(lastRow, row + wanted - (row % wanted) - 1);
    slices.push({ source, condition: sql`_row BETWEEN ${BigInt(row)} AND ${BigInt(last)}` });
  }
  return slices.toReversed();
}

const ofTransactions = (range: XactRange): Sql =>
  join([sql`TRUE`, ...within(sql`_xact_id`, range)], ' AND ');

/** A number of rows and the range of their transaction ids, inclusive. */
export interface RowSpan {
  readonly rows: number;
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
}

/** The transaction ids at every `wanted`th row, on the assumption that rows are distributed evenly. Reads nothing. */
export function evenCuts({ rows, firstXactId, lastXactId }: RowSpan, wanted: number): bigint[] {
  const parts = BigInt(Math.max(1, Math.ceil(rows / wanted)));
  const length = lastXactId - firstXactId + 1n;
  return Array.from(
    { length: Number(parts) },
    (_, part) => firstXactId + (length * BigInt(part)) / parts,
  );
}

/** The ranges between the cuts, newest first. Each transaction is in one range. */
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
