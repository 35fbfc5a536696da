// The rows of a view at one version, that of the first answer, and the number of rows written after it.
import { queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { RawRow } from '../../json/scan.js';
import { quoted } from '../../server/clauses.js';
import { rawRowsOf, rowsOf, type QueryOptions, type RawAnswer } from '../../server/query.js';
import { bucketFor } from './buckets.js';
import { orderOf, type Order } from './trace-order.js';
import {
  extentQuery,
  histogramQuery,
  isByTrace,
  keyOf,
  ordersMax,
  newerQuery,
  pageQuery,
  pageRows,
  rowsMax,
  rowsQueries,
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

/** The keys of the rows of a page. If the whole order was read, the cursor is a position in it. */
async function keysOf(
  list: ListQuery,
  cursor: string,
  order: () => Promise<Order | null>,
  options: QueryOptions,
): Promise<Order & { readonly cursor: string | null }> {
  const whole = isByTrace(list) ? await order() : null;
  if (whole !== null) {
    const end = Number(cursor) + pageRows;
    const { length } = whole.keys;
    return {
      ...whole,
      keys: whole.keys.slice(Number(cursor), end),
      cursor: end < length || length === ordersMax ? String(end) : null,
    };
  }
  const query = pageQuery(list);
  const page = await rawRowsOf(
    cursor === '' ? query : `${query}\ncursor: ${quoted(cursor)}`,
    options,
  );
  return { ...page, keys: [...new Set(page.rows.map((row) => keyOf(list.source, row)))] };
}

const byKeyOf = ({ source }: ListQuery, rows: readonly RawRow[]): ReadonlyMap<string, RawRow> =>
  new Map(rows.map((row) => [keyOf(source, row), row]));

function joined(row: RawRow, others: readonly (RawRow | undefined)[]): RawRow {
  const whole = new Map(row);
  for (const part of others) for (const [name, value] of part ?? []) whole.set(name, value);
  return whole;
}

/** Reads a page: first its rows, then their columns, at the same version. */
async function pageOf(
  list: ListQuery,
  cursor: string,
  order: () => Promise<Order | null>,
  options: QueryOptions,
): Promise<Page> {
  const { columns } = list;
  const { keys, ...page } = await keysOf(list, cursor, order, options);
  if (keys.length === 0) return { ...page, columns, rows: [], bytes: 0 };
  const pinned = { ...options, version: page.version };
  const parts = await Promise.all(rowsQueries(list, keys).map((query) => rawRowsOf(query, pinned)));
  const [whole, ...others] = parts.map(({ rows }) => byKeyOf(list, rows));
  return {
    ...page,
    columns,
    rows: keys.flatMap((key) => {
      const row = whole?.get(key);
      const rest = others.map((part) => part.get(key));
      return row === undefined ? [] : joined(row, rest);
    }),
    warnings: [...new Set([page, ...parts].flatMap(({ warnings }) => warnings))],
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
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
  const max = isByTrace(list) ? ordersMax : rowsMax;
  const query = pageQuery(list);
  const columns = list.columns.join('\n');
  const moment = version === '' ? epoch : 0;
  const given = version === '' ? null : version;
  const queryKey = ['rows', query, columns, version, moment];
  const order = queryOptions({
    queryKey: ['order', query, version, moment],
    queryFn: ({ signal }) => orderOf(list, { version: given, signal }),
    staleTime: Infinity,
  });
  // Keeps the order while its rows are shown, and stops reading it when they no longer are.
  useQuery({ ...order, enabled: isByTrace(list), notifyOnChangeProps: [] });
  const rows = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      pageOf(list, pageParam, () => client.fetchQuery(order), { version: given, signal }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }, pages) => (loaded(pages) >= max ? null : cursor),
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
    isCut: loaded(pages ?? []) >= max && pages?.at(-1)?.cursor != null,
    cancel: () => {
      void client.cancelQueries({ queryKey });
      void client.cancelQueries({ queryKey: order.queryKey });
    },
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
