// The groups of a comparison, read again when the experiments have newer rows, and the names of their scores.
import { useQuery } from '@tanstack/react-query';
import { rawRowsOf, rowsOf } from '../../server/query.js';
import { useWhen } from '../rows/use-rows.js';
import { comparisonQuery, newerQuery, scoresQuery, type Comparison } from './comparison.js';

/** The interval of checks for newer rows, in milliseconds, as that of summaries. */
const newerMs = 10_000;

/** @param version the version; null for the latest */
export function useScoreNames(experiments: readonly string[], version: string | null) {
  const query = scoresQuery(experiments);
  return useQuery({
    queryKey: ['score-names', query, version],
    queryFn: async ({ signal }) =>
      (await rowsOf<{ score: string }>(query, { version: version, signal })).map(
        ({ score }) => score,
      ),
    refetchInterval: version === null && newerMs,
  });
}

/** @param isReady whether the score to compare is known */
export function useGroups(comparison: Comparison, isReady: boolean) {
  const query = comparisonQuery(comparison);
  const asked = comparison.version;
  const groups = useQuery({
    queryKey: ['groups', query, asked],
    queryFn: ({ signal }) => rawRowsOf(query, { version: asked, signal }),
    enabled: isReady,
    placeholderData: (before) => before,
  });
  const version = groups.data?.version ?? null;
  const newer = useQuery({
    queryKey: ['newer', ...comparison.experiments, version],
    queryFn: ({ signal }) =>
      rowsOf<{ n: number }>(newerQuery(comparison.experiments, version!), { signal }),
    enabled: version !== null && asked === null,
    // The groups were read just now.
    initialData: [],
    staleTime: newerMs,
    refetchInterval: newerMs,
  });
  useWhen((newer.data[0]?.n ?? 0) > 0, () => void groups.refetch());
  return { groups, query };
}
