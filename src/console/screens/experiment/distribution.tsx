// How the scores of an experiment are distributed, beside those of the one that it is compared with.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { allOf, quoted, textOf } from '../../server/clauses.js';
import { rowsOf } from '../../server/query.js';

/** Equal steps from 0 to 1; the last one includes 1. */
const bins = 20;

interface Count {
  readonly experiment_id: string;
  readonly score: string;
  readonly bin: number | null;
  readonly n: number;
}

/** The number of traces in each bin, by score and experiment. */
type Distributions = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

/** The scores of whole traces, as summaries count them. */
const distributionQuery = (experiments: readonly string[], filter: string): string =>
  textOf({
    dimensions: `experiment_id, score, floor(value * ${bins}) as bin`,
    measures: 'count(*) as n',
    from: `experiment(${experiments.map(quoted).join(', ')}) summary`,
    filter: allOf('is_root', filter) ?? '',
    unpivot: 'scores as (score, value)',
  });

function distributionsOf(counts: readonly Count[]): Distributions {
  const scores = new Map<string, Map<string, number[]>>();
  for (const { experiment_id: id, score, bin, n } of counts) {
    if (bin === null) continue;
    const experiments = scores.get(score) ?? new Map<string, number[]>();
    const values = experiments.get(id) ?? Array.from({ length: bins }, () => 0);
    values[Math.max(0, Math.min(bins - 1, bin))]! += n;
    scores.set(score, experiments.set(id, values));
  }
  return scores;
}

/**
 * @param experiments ids
 * @param version null for the latest
 * @param options `filter`: a condition on the roots of the traces that count, empty for all; `isWanted`: whether to ask now
 */
export function useDistributions(
  experiments: readonly string[],
  version: string | null,
  { filter = '', isWanted = true } = {},
) {
  const query = distributionQuery(experiments, filter);
  return useQuery({
    queryKey: ['distributions', query, version],
    queryFn: ({ signal }) => rowsOf<Count>(query, { version, signal }),
    select: distributionsOf,
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: version === null && 10_000,
  });
}

interface DistributionProps {
  readonly label: string;
  readonly values: readonly number[];
  /** Of the experiment that it is compared with; null without one. */
  readonly base: readonly number[] | null;
  readonly isStale: boolean;
}

const width = 5;
const height = 24;

/** Bars, with the distribution of the other experiment as a line over them. */
export function Distribution({ label, values, base, isStale }: DistributionProps) {
  const most = Math.max(1, ...values, ...(base ?? []));
  const y = (count: number) => height - (count === 0 ? 0 : Math.max(1, (count / most) * height));
  const steps = (base ?? []).map(
    (count, bin) => `H${bin * width} V${y(count)} H${(bin + 1) * width}`,
  );
  const counts = values.map((count, bin) => (count === 0 ? '' : `${bin / bins}: ${count}`));
  return (
    <svg
      className={isStale ? 'distribution stale' : 'distribution'}
      aria-busy={isStale}
      viewBox={`0 0 ${bins * width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${counts.filter((text) => text !== '').join(', ')}`}
    >
      {values.map((count, bin) => (
        <rect
          key={bin}
          x={bin * width}
          y={y(count)}
          width={width - 1}
          height={height - y(count)}
          fill="var(--bar)"
        />
      ))}
      {base !== null && (
        <path
          d={`M0 ${height} ${steps.join(' ')}`}
          fill="none"
          stroke="var(--ink-3)"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
