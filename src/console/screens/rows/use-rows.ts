// The rows of a view: one consistent picture, pinned to the version of its first answer, and how many rows came after it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RawRow } from '../../json/scan.js';
import { quoted } from '../../server/clauses.js';
import { rawRowsOf, rowsOf, type RawAnswer } from '../../server/query.js';
import {
  bucketFor,
  extentQuery,
  histogramQuery,
  listQuery,
  newerQuery,
  type Bucket,
  type ListQuery,
} from './view.js';

/** More are not kept: a filter or another order leads to the others. */
export const rowsMax = 5_000;

/** How often it is asked whether there is more, in milliseconds. */
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
}

const loaded = (pages: readonly RawAnswer[]) =>
  pages.reduce((sum, { rows }) => sum + rows.length, 0);

/** @param version that of the address; empty for the latest */
export function useRows(list: ListQuery, version: string) {
  const query = listQuery(list);
  // Asked for again, the latest version is another one.
  const [epoch, setEpoch] = useState(0);
  const rows = useInfiniteQuery({
    queryKey: ['rows', query, version, version === '' ? epoch : 0],
    queryFn: ({ pageParam, signal }) =>
      rawRowsOf(pageParam === '' ? query : `${query}\ncursor: ${quoted(pageParam)}`, {
        version: version === '' ? null : version,
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ cursor }, pages) => (loaded(pages) >= rowsMax ? null : cursor),
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  const pages = rows.data?.pages;
  const pinned = rows.isPlaceholderData ? null : (pages?.[0]?.version ?? null);
  return {
    ...rows,
    query,
    pinned,
    all: useMemo((): readonly RawRow[] => pages?.flatMap((page) => page.rows) ?? [], [pages]),
    warnings: pages?.[0]?.warnings ?? [],
    isCut: loaded(pages ?? []) >= rowsMax && pages?.at(-1)?.cursor != null,
    refresh: () => setEpoch((before) => before + 1),
  };
}

/** Counts of the same rows, over time; asked for when the rows are there. */
export function useCounts(list: ListQuery, pinned: string | null) {
  const query = extentQuery(list);
  const options = { version: pinned };
  const extent = useQuery({
    queryKey: ['extent', query, pinned],
    queryFn: async ({ signal }) => (await rowsOf<Extent>(query, { ...options, signal }))[0]!,
    enabled: pinned !== null,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  const { first = null, last = null } = extent.data ?? {};
  const bucket: Bucket | null =
    first === null || last === null ? null : bucketFor(Date.parse(first), Date.parse(last));
  const counts = useQuery({
    queryKey: ['histogram', query, pinned, bucket?.[0]],
    queryFn: ({ signal }) => rowsOf<Count>(histogramQuery(list, bucket!), { ...options, signal }),
    enabled: pinned !== null && bucket !== null && !extent.isPlaceholderData,
    staleTime: Infinity,
    placeholderData: (before) => before,
  });
  return { extent: extent.data, bucket, counts: counts.data };
}

/** How many rows came after the pinned version. */
export function useNewer(list: ListQuery, pinned: string | null, isLatest: boolean): number {
  const newer = useQuery({
    queryKey: ['newer', list.source, pinned],
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
