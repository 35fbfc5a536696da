// Divides the rows of objects into slices, so that a long answer needs the memory of one slice. The slices are disjoint, together
// hold all rows, and follow one another in the order of transactions.
import { join, sql, within, type Sql } from '../../../duckdb/sql.js';
import type { RowsBetween } from '../../row/row-range.js';

export interface SliceOptions {
  readonly objectIds: readonly string[];
  /** Whether all rows of a transaction must be in one slice. */
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

/** The rows of some sources that meet a condition. */
export interface Slice {
  readonly sources: readonly number[];
  readonly condition: Sql;
}

/** The rows of some objects in one source. */
export interface SourceRows extends XactBounds {
  readonly source: number;
  /** Their row numbers, if these are contiguous and ordered by transaction id; null otherwise. */
  readonly contiguous: RowsBetween | null;
  /** Parenthesised SELECT of their `_xact_id` and `_row`. */
  readonly rows: Sql;
}

/** The transaction ids of rows, inclusive. */
export interface XactBounds {
  readonly firstXactId: bigint;
  /** Null if unbounded. */
  readonly lastXactId: bigint | null;
}

export const xactsOverlap = (
  { firstXactId, lastXactId }: XactBounds,
  { from, to }: XactRange,
): boolean =>
  (to === null || firstXactId <= to) &&
  (from === null || lastXactId === null || lastXactId >= from);

/** Sources that are divided together, since their ranges of transaction ids overlap. */
export type SourceGroup = readonly SourceRows[];

/**
 * The groups, newest first, of which no two overlap. Segments of different projects can overlap: those of one flush do, and a
 * merged one can reach over several of another project.
 */
export function sourceGroups(
  newestFirst: readonly SourceRows[],
  keepsTransactions: boolean,
): readonly SourceGroup[] {
  const groups: SourceRows[][] = [];
  for (const each of newestFirst) {
    const source = keepsTransactions ? { ...each, contiguous: null } : each;
    const first = groups.findIndex((group) => overlapsNewer(source, group));
    // The older a group, the earlier it begins, so the source overlaps the groups after `first` as well.
    const [group = [], ...others] = first === -1 ? [] : groups.splice(first);
    group.push(...others.flat(), source);
    groups.push(group);
  }
  return groups;
}

const overlapsNewer = (source: SourceRows, group: SourceGroup): boolean =>
  xactsOverlap(source, { from: group.at(-1)?.firstXactId ?? null, to: null });

/** The row numbers of a group that can be divided at any row; null if it must be divided at transaction ids. */
const contiguousIn = (group: SourceGroup): RowsBetween | null =>
  group.length === 1 ? (group[0]?.contiguous ?? null) : null;

/** The rows of a source from one sampled row to the next. With n sources, n samples then stand for at most 2 * `wanted` rows. */
const sampled = (group: SourceGroup, wanted: number): number =>
  Math.max(1, Math.floor(wanted / group.length));

/**
 * SELECT of (group, _xact_id): the index of the group, and the transaction ids of a sample of its rows. Null if every group is
 * divided at row numbers.
 */
export function samplesOf(groups: readonly SourceGroup[], wanted: number): Sql | null {
  const samples = groups.flatMap((group, index) =>
    contiguousIn(group) !== null
      ? []
      : group.map(
          ({ rows }) =>
            sql`SELECT ${BigInt(index)} AS "group", _xact_id FROM ${rows} WHERE _row % ${BigInt(sampled(group, wanted))} = 0`,
        ),
  );
  return samples.length === 0 ? null : join(samples, ' UNION ALL ');
}

/**
 * Divides a group, newest rows first: contiguous rows at the row numbers that are multiples of `wanted`, so that slices align with
 * row groups, and other rows at transaction ids.
 * @param samples the transaction ids that `samplesOf` selects
 */
export function slicesOf(
  group: SourceGroup,
  samples: readonly bigint[],
  wanted: number,
): readonly Slice[] {
  const contiguous = contiguousIn(group);
  if (contiguous !== null) return slicesByRow(sourcesOf(group), contiguous, wanted);
  const perSlice = Math.floor(wanted / sampled(group, wanted));
  const cuts = samples.toSorted(newerFirst).filter((_, index) => (index + 1) % perSlice === 0);
  return slicesBetween(cuts)
    .map((range) => ({
      sources: sourcesOf(group.filter((each) => xactsOverlap(each, range))),
      condition: ofTransactions(range),
    }))
    .filter((slice) => slice.sources.length > 0);
}

const sourcesOf = (group: SourceGroup) => group.map(({ source }) => source);

function slicesByRow(
  sources: readonly number[],
  { firstRow, lastRow }: RowsBetween,
  wanted: number,
): readonly Slice[] {
  const slices: Slice[] = [];
  for (let row = firstRow; row <= lastRow; row += wanted - (row % wanted)) {
    const last = Math.min(lastRow, row + wanted - (row % wanted) - 1);
    slices.push({ sources, condition: sql`_row BETWEEN ${BigInt(row)} AND ${BigInt(last)}` });
  }
  return slices.toReversed();
}

const newerFirst = (a: bigint, b: bigint): number => (a < b ? 1 : -1);

const ofTransactions = (range: XactRange): Sql =>
  join([sql`TRUE`, ...within(sql`_xact_id`, range)], ' AND ');

/** A number of rows and the range of their transaction ids, inclusive. */
export interface CountedRange {
  readonly rows: number;
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
}

/** The transaction ids at every `wanted`th row, on the assumption that rows are distributed evenly. Reads nothing. */
export function evenCuts(
  { rows, firstXactId, lastXactId }: CountedRange,
  wanted: number,
): bigint[] {
  const parts = BigInt(Math.max(1, Math.ceil(rows / wanted)));
  const length = lastXactId - firstXactId + 1n;
  return Array.from(
    { length: Number(parts) },
    (_, part) => firstXactId + (length * BigInt(part)) / parts,
  );
}

/** The ranges between the cuts, newest first. Each transaction is in one range. */
export function slicesBetween(cuts: readonly bigint[]): readonly XactRange[] {
  const descending = [...new Set(cuts)].sort(newerFirst);
  const slices: XactRange[] = [];
  let to: bigint | null = null;
  for (const cut of descending) {
    slices.push({ from: cut, to });
    to = cut - 1n;
  }
  return [...slices, { from: null, to }];
}
