// Parameters and answers of summaries of experiments and datasets.
import { Type, type Static } from 'typebox';
import {
  FiniteNumber,
  Flag,
  Text,
  TzOffset,
  Uuid,
  component,
  described,
  exactly,
  omittable,
  recordOf,
  tzOffsetText,
  XactIdText,
} from './scalar.js';
import { xactIdSpellings } from './xact-id.js';

const Count = Type.Integer({ minimum: 0 });

const Url = Type.String({ format: 'uri' });

export const ExperimentSummaryParameters = exactly({
  summarize_scores: omittable(
    Flag,
    'Whether to summarize scores and metrics; if false, returns only names and links.',
  ),
  comparison_experiment_id: omittable(
    Uuid,
    'Experiment to compare with; by default the one in `base_exp_id`, else the most recent other one of the project.',
  ),
  filter: omittable(
    Text,
    'Condition as in the clause `filter` of a query. Only traces whose root passes it count, in both experiments.',
  ),
  tz_offset: omittable(TzOffset, tzOffsetText),
  version: omittable(
    XactIdText,
    `Summarizes the rows as of this transaction id, ${xactIdSpellings}.`,
  ),
});

export const DatasetSummaryParameters = exactly({
  summarize_data: omittable(
    Flag,
    'Whether to count the records; if false, returns only names and links.',
  ),
});

/** `diff` is absent if nothing is comparable; values that require two numbers are absent if there are fewer. */
const difference = {
  diff: omittable(
    FiniteNumber,
    'Mean difference over matched inputs: this experiment minus the other.',
  ),
  improvements: described(Count, 'Matched inputs where this experiment is better.'),
  regressions: described(Count, 'Matched inputs where this experiment is worse.'),
};

const name = described(Text, 'Name.');

/** SDKs fail on other members of a score or metric. */
export const ScoreSummary = component('ScoreSummary', {
  name,
  score: described(FiniteNumber, 'Mean over the traces that have a value.'),
  ...difference,
});

export const ScoreStatistics = component('ScoreStatistics', {
  count: described(Count, 'Traces that have the score.'),
  stddev: omittable(FiniteNumber, 'Sample standard deviation of the score over these traces.'),
  diff_count: described(Count, 'Matched inputs that have the score in both experiments.'),
  diff_low: omittable(FiniteNumber, 'Lower bound of the 95 % confidence interval of `diff`.'),
  diff_high: omittable(FiniteNumber, 'Upper bound of the 95 % confidence interval of `diff`.'),
});

export const MetricSummary = component('MetricSummary', {
  name,
  metric: described(FiniteNumber, 'Mean over the traces that have a value.'),
  unit: described(Text, 'Unit: `s` for seconds, `tok` for tokens, else empty.'),
  ...difference,
});

const projectName = described(Text, 'Name of the project.');
const projectUrl = described(Url, 'URL of the project.');

export const ExperimentSummary = component('ExperimentSummary', {
  project_name: projectName,
  experiment_name: described(Text, 'Name of the experiment.'),
  project_url: projectUrl,
  experiment_url: described(Url, 'URL of the experiment.'),
  comparison_experiment_name: omittable(Text, 'Name of the other experiment.'),
  scores: Type.Optional(recordOf(ScoreSummary, { description: 'Scores by name.' })),
  score_stats: Type.Optional(
    recordOf(ScoreStatistics, { description: 'Statistics of the scores by name.' }),
  ),
  metrics: Type.Optional(recordOf(MetricSummary, { description: 'Metrics by name.' })),
});

export const DatasetSummary = component('DatasetSummary', {
  project_name: projectName,
  dataset_name: described(Text, 'Name of the dataset.'),
  project_url: projectUrl,
  dataset_url: described(Url, 'URL of the dataset.'),
  data_summary: omittable(
    exactly({ total_records: described(Count, 'Number of records.') }),
    'Summary of the records.',
  ),
});

export type ExperimentSummaryRequest = Readonly<Static<typeof ExperimentSummaryParameters>>;
export type DatasetSummaryRequest = Readonly<Static<typeof DatasetSummaryParameters>>;
export type ScoreSummary = Static<typeof ScoreSummary>;
export type ScoreStatistics = Static<typeof ScoreStatistics>;
export type MetricSummary = Static<typeof MetricSummary>;
export type ExperimentSummary = Static<typeof ExperimentSummary>;
export type DatasetSummary = Static<typeof DatasetSummary>;
