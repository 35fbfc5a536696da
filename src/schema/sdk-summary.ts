// Summaries with exactly the fields that SDKs know, and their parameters.
import { Type, type Static } from 'typebox';
import { Text, Uuid, component, described, exactly, omittable, recordOf } from './scalar.js';
import { MetricSummary, ScoreSummary } from './summary.js';

export const SdkComparisonParameters = exactly({
  experiment_id: described(Uuid, 'Experiment to summarize.'),
  base_experiment_id: omittable(
    Uuid,
    'Experiment to compare with; optional. One that is deleted or that the key may not read counts as none.',
  ),
});

export type SdkComparisonRequest = Readonly<Static<typeof SdkComparisonParameters>>;

const score = ScoreSummary.properties;
const metric = MetricSummary.properties;

const SdkScore = component('SdkScore', {
  name: score.name,
  score: score.score,
  diff: score.diff,
  improvements: score.improvements,
  regressions: score.regressions,
});

const SdkMetric = component('SdkMetric', {
  name: metric.name,
  metric: metric.metric,
  unit: metric.unit,
  diff: metric.diff,
  improvements: metric.improvements,
  regressions: metric.regressions,
});

export const SdkComparison = component('SdkComparison', {
  scores: recordOf(SdkScore, { description: 'Scores by name.' }),
  metrics: recordOf(SdkMetric, { description: 'Metrics by name.' }),
});

export const SdkDatasetParameters = exactly({
  dataset_id: described(Uuid, 'Dataset to summarize.'),
});

export const SdkDatasetSummary = component('SdkDatasetSummary', {
  total_records: Type.Integer({ minimum: 0, description: 'Number of records.' }),
});

export const TransactionId = described(Text, 'A transaction id.');
