// The rows of a view at one version, that of the first answer, and the number of rows written after it.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { RawRow } from '../../json/scan.js';
import { quoted } from '../../server/clauses.js';
import { rawRowsOf, rowsOf, type QueryOptions, type RawAnswer } from '../../server/query.js';
import { bucketFor } from './buckets.js';
import {
  extentQuery,
  histogramQuery,
  keyOf,
  laterRows,
  newerQuery,
  otherColumnsQuery,
  pageQuery,
  rowsMax,
  type ListQuery,
} from './view.js';

/** The number of rows before the end at which the next page is requested. */
export const ahead = 15;

/** The interval of checks for newer rows, in milliseconds. */
const newerMs = 2_000;

export interface Extent {
  readonly n: number;
  readonly first: string | null;
  readonly last: string | null;
}

export interface Count {
  readonly t: string;
  readonly n: number;
  readonly errors: number;
  /** The 95th percentile of the durations in seconds; null if no row has one. */
  readonly p95: number | null;
}

interface Page extends RawAnswer {
  /** The expressions of the columns. */
  readonly columns: readonly string[];
}

const loaded = (pages: readonly RawAnswer[]) =>
  pages.reduce((sum, { rows }) => sum + rows.length, 0);

const byKeyOf = ({ source }: ListQuery, rows: readonly RawRow[]): ReadonlyMap<string, RawRow> =>
  new Map(rows.map((row) => [keyOf(source, row), row]));

/** Reads a page, and the columns that need a query of their own, at the same version. */
async function pageOf(list: ListQuery, cursor: string, options: QueryOptions): Promise<Page> {
  const { columns } = list;
  const query =
    cursor === '' ? pageQuery(list) : `${pageQuery(list, laterRows)}\ncursor: ${quoted(cursor)}`;
  const page = await rawRowsOf(query, options);
  const others = otherColumnsQuery(list, [...byKeyOf(list, page.rows).keys()]);
  if (others === null) return { ...page, columns };
  const rest = await rawRowsOf(others, { ...options, version: page.version });
  const byKey = byKeyOf(list, rest.rows);
  return {
    ...page,
    columns,
    rows: page.rows.map((row) => new Map([...row, ...(byKey.get(keyOf(list.source, row)) ?? [])])),
    warnings: [...new Set([...page.warnings, ...rest.warnings])],
    bytes: page.bytes + rest.bytes,
  };
}

/** Shows a trace with several roots as one row, even across pages. */
const eachOnce = (list: ListQuery, rows: readonly RawRow[]): readonly RawRow[] => [
  ...byKeyOf(list, rows).values(),
];

/**
 * @param version the version in the URL; empty for the latest
 * @param epoch another number reads the latest version again
 */
export function useRows(list: ListQuery, version: string, epoch: number) {
  const client = useQueryClient();
  const query = pageQuery(list);
  const moment = version === '' ? epoch : 0;
  const given = version === '' ? null : version;
  const queryKey = ['rows', query, list.columns, version, moment];
  const rows = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => pageOf(list, pageParam, { version: given, signal }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }, pages) => (loaded(pages) >= rowsMax ? null : cursor),
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  const pages = rows.data?.pages;
  const hasMore = rows.hasNextPage && !rows.isFetching && !rows.isFetchNextPageError;
  const pinned = rows.isPlaceholderData ? null : (pages?.[0]?.version ?? null);
  return {
    ...rows,
    query,
    pinned,
    all: useMemo(() => eachOnce(list, pages?.flatMap((page) => page.rows) ?? []), [list, pages]),
    /** Whether the next page is to be read when its rows are close. */
    hasMore,
    /** Those of the rows, which are still those of the view before while other rows are read. */
    columns: pages?.[0]?.columns ?? list.columns,
    warnings: pages?.[0]?.warnings ?? [],
    isCut: loaded(pages ?? []) >= rowsMax && pages?.at(-1)?.cursor != null,
    cancel: () => void client.cancelQueries({ queryKey }),
  };
}

const emptyExtent: Extent = { n: 0, first: null, last: null };

function useExtent(list: ListQuery, pinned: string | null) {
  const query = extentQuery(list);
  return useQuery({
    queryKey: ['extent', query, pinned],
    queryFn: async ({ signal }) =>
      (await rowsOf<Extent>(query, { version: pinned, signal }))[0] ?? emptyExtent,
    enabled: pinned !== null,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
}

/** Counts of the same rows over time; read after their number and time range. */
export function useCounts(list: ListQuery, pinned: string | null) {
  const extent = useExtent(list, pinned);
  const { first, last } = extent.data ?? emptyExtent;
  const bucket =
    first === null || last === null ? null : bucketFor(Date.parse(first), Date.parse(last));
  const query = bucket === null ? '' : histogramQuery(list, bucket);
  const histogram = useQuery({
    queryKey: ['histogram', query, pinned],
    queryFn: async ({ signal }) => ({
      bucket: bucket!,
      counts: await rowsOf<Count>(query, { version: pinned, signal }),
    }),
    enabled: bucket !== null && extent.isSuccess && !extent.isPlaceholderData,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  return { extent, histogram };
}

/** The number of rows of the view that were written after the pinned version. */
export function useNewer(list: ListQuery, pinned: string | null, isLatest: boolean): number {
  const newer = useQuery({
    queryKey: ['newer', list.source, list.view, list.time, pinned],
    queryFn: async ({ signal }) =>
      (await rowsOf<{ n: number }>(newerQuery(list, pinned!), { signal }))[0]?.n ?? 0,
    enabled: pinned !== null && isLatest,
    refetchInterval: newerMs,
    staleTime: 0,
  });
  return newer.data ?? 0;
}

/** Runs when the condition becomes true. */
export function useWhen(condition: boolean, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (condition) latest.current();
  }, [condition]);
}
