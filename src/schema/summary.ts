// What summaries of experiments and datasets are asked with, and what they answer.
import { Type, type Static } from 'typebox';
import { FiniteNumber, Flag, Text, Uuid, closed } from './scalar.js';

const Count = Type.Integer({ minimum: 0 });

const Url = Type.String({ format: 'uri' });

export const ExperimentSummaryParameters = Type.Object(
  {
    summarize_scores: Type.Optional(Flag),
    comparison_experiment_id: Type.Optional(Uuid),
  },
  closed,
);

export const DatasetSummaryParameters = Type.Object(
  { summarize_data: Type.Optional(Flag) },
  closed,
);

/** Absent are `diff` when nothing is comparable, and what takes two numbers when there are fewer. */
const difference = {
  diff: Type.Optional(FiniteNumber),
  improvements: Count,
  regressions: Count,
};

export const ScoreSummary = Type.Object({
  name: Text,
  score: FiniteNumber,
  ...difference,
  /** Traces that have the score. */
  count: Count,
  /** Of the score over these traces, as a sample. */
  stddev: Type.Optional(FiniteNumber),
  /** Matched inputs that have the score in both experiments. */
  diff_count: Count,
  /** Ends of the interval in which `diff` is with a confidence of 95 %. */
  diff_low: Type.Optional(FiniteNumber),
  diff_high: Type.Optional(FiniteNumber),
});

export const MetricSummary = Type.Object({
  name: Text,
  metric: FiniteNumber,
  unit: Text,
  ...difference,
});

export const ExperimentSummary = Type.Object({
  project_name: Text,
  experiment_name: Text,
  project_url: Url,
  experiment_url: Url,
  comparison_experiment_name: Type.Optional(Text),
  scores: Type.Optional(Type.Record(Type.String(), ScoreSummary)),
  metrics: Type.Optional(Type.Record(Type.String(), MetricSummary)),
});

export const DatasetSummary = Type.Object({
  project_name: Text,
  dataset_name: Text,
  project_url: Url,
  dataset_url: Url,
  data_summary: Type.Optional(Type.Object({ total_records: Count })),
});

export type ExperimentSummaryRequest = Readonly<Static<typeof ExperimentSummaryParameters>>;
export type DatasetSummaryRequest = Readonly<Static<typeof DatasetSummaryParameters>>;
export type ScoreSummary = Static<typeof ScoreSummary>;
export type MetricSummary = Static<typeof MetricSummary>;
export type ExperimentSummary = Static<typeof ExperimentSummary>;
export type DatasetSummary = Static<typeof DatasetSummary>;
