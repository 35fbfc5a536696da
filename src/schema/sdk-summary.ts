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

export const SdkComparison = component('SdkComparison', {
  scores: recordOf(ScoreSummary, { description: 'Scores by name.' }),
  metrics: recordOf(MetricSummary, { description: 'Metrics by name.' }),
});

export const SdkDatasetParameters = exactly({
  dataset_id: described(Uuid, 'Dataset to summarize.'),
});

export const SdkDatasetSummary = component('SdkDatasetSummary', {
  total_records: Type.Integer({ minimum: 0, description: 'Number of records.' }),
});

export const TransactionId = described(Text, 'A transaction id.');
