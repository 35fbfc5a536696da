// The groups of a comparison, read again when the experiments have newer rows, and the names of their scores.
import { useQuery } from '@tanstack/react-query';
import { rawRowsOf, rowsOf } from '../../server/query.js';
import { useWhen } from '../rows/use-rows.js';
import { comparisonQuery, newerQuery, scoresQuery, type Comparison } from './comparison.js';

/** The interval of checks for newer rows, in milliseconds, as that of summaries. */
const newerMs = 10_000;

export function useScoreNames(experiments: readonly string[]) {
  const query = scoresQuery(experiments);
  return useQuery({
    queryKey: ['score-names', query],
    queryFn: async ({ signal }) =>
      (await rowsOf<{ score: string }>(query, { signal })).map(({ score }) => score),
    refetchInterval: newerMs,
  });
}

/** @param isReady whether the score to compare is known */
export function useGroups(comparison: Comparison, isReady: boolean) {
  const query = comparisonQuery(comparison);
  const groups = useQuery({
    queryKey: ['groups', query],
    queryFn: ({ signal }) => rawRowsOf(query, { signal }),
    enabled: isReady,
    placeholderData: (before) => before,
  });
  const version = groups.data?.version ?? null;
  const newer = useQuery({
    queryKey: ['newer', ...comparison.experiments, version],
    queryFn: ({ signal }) =>
      rowsOf<{ n: number }>(newerQuery(comparison.experiments, version!), { signal }),
    enabled: version !== null,
    // The groups were read just now.
    initialData: [],
    staleTime: newerMs,
    refetchInterval: newerMs,
  });
  useWhen((newer.data[0]?.n ?? 0) > 0, () => void groups.refetch());
  return { groups, query };
}
