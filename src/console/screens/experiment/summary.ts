// Summaries of experiments. The server computes means, differences and intervals.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { timeZone } from '../../server/query.js';
import { readJson } from '../../server/request.js';

interface ScoreSummary {
  readonly name: string;
  readonly score: number | null;
  readonly diff?: number | null;
  readonly improvements: number;
  readonly regressions: number;
}

interface ScoreStatistics {
  readonly count: number;
  readonly diff_count?: number | null;
  readonly diff_low?: number | null;
  readonly diff_high?: number | null;
}

export type ScoreStanding = ScoreSummary & ScoreStatistics;

/** Whether 0 is outside of the interval of the difference. */
export const excludesZero = ({ diff_low, diff_high }: ScoreStatistics): boolean =>
  (diff_low ?? 0) > 0 || (diff_high ?? 0) < 0;

/** The style of a difference: `open` if the interval includes 0. */
export function toneOf(score: ScoreStanding): string {
  if (!excludesZero(score)) return 'open';
  return (score.diff ?? 0) > 0 ? 'good' : 'bad';
}

export interface MetricSummary {
  readonly name: string;
  readonly metric: number | null;
  readonly unit: string;
  readonly diff?: number | null;
}

export interface Summary {
  readonly experiment_name: string;
  readonly comparison_experiment_name: string | null;
  readonly scores: Readonly<Record<string, ScoreSummary>>;
  readonly score_stats: Readonly<Record<string, ScoreStatistics>>;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
}

/** The scores, each with its statistics. */
export const standingsOf = ({ scores, score_stats }: Summary): readonly ScoreStanding[] =>
  Object.entries(scores).map(([name, score]) => Object.assign(score, score_stats[name]));

/** The refresh interval of a summary, whose evaluation may run, in milliseconds. */
const runningRefreshMs = 10_000;

interface SummaryOptions {
  /** A condition on the roots of the traces that count; empty for all traces. */
  readonly filter?: string;
  /** Null for the latest. */
  readonly version?: string | null;
  readonly isRefreshed?: boolean;
}

/** @param comparison id of the experiment to compare with; null for the default of the server */
export const useSummary = (
  experiment: string,
  comparison: string | null,
  { filter = '', version = null, isRefreshed = version === null }: SummaryOptions = {},
) =>
  useQuery({
    queryKey: ['summary', experiment, comparison, filter, version],
    queryFn: ({ signal }) => {
      const search = new URLSearchParams({
        summarize_scores: 'true',
        ...(comparison === null ? {} : { comparison_experiment_id: comparison }),
        ...(filter === '' ? {} : { filter, tz_offset: timeZone() }),
        ...(version === null ? {} : { version }),
      });
      return readJson<Summary>(`/v1/experiment/${experiment}/summarize?${search.toString()}`, {
        signal,
      });
    },
    placeholderData: keepPreviousData,
    refetchInterval: isRefreshed && runningRefreshMs,
  });
