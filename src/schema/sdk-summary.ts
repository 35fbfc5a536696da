// Summaries with exactly the fields that SDKs know, and their parameters.
import { Type, type Static } from 'typebox';
import { Text, Uuid, closed, described, recordOf } from './scalar.js';
import { MetricSummary, ScoreSummary } from './summary.js';

export const SdkComparisonParameters = Type.Object(
  {
    experiment_id: described(Uuid, 'Experiment to summarize.'),
    base_experiment_id: Type.Optional(described(Uuid, 'Experiment to compare with; optional.')),
  },
  closed,
);

export type SdkComparisonRequest = Readonly<Static<typeof SdkComparisonParameters>>;

const score = ScoreSummary.properties;
const metric = MetricSummary.properties;

const SdkScore = Type.Object(
  {
    name: score.name,
    score: score.score,
    diff: score.diff,
    improvements: score.improvements,
    regressions: score.regressions,
  },
  { ...closed, title: 'SdkScore' },
);

const SdkMetric = Type.Object(
  {
    name: metric.name,
    metric: metric.metric,
    unit: metric.unit,
    diff: metric.diff,
    improvements: metric.improvements,
    regressions: metric.regressions,
  },
  { ...closed, title: 'SdkMetric' },
);

export const SdkComparison = Type.Object(
  {
    scores: recordOf(SdkScore, { description: 'Scores by name.' }),
    metrics: recordOf(SdkMetric, { description: 'Metrics by name.' }),
  },
  { ...closed, title: 'SdkComparison' },
);

export const SdkDatasetParameters = Type.Object(
  { dataset_id: described(Uuid, 'Dataset to summarize.') },
  closed,
);

export const SdkDatasetSummary = Type.Object(
  { total_records: Type.Integer({ minimum: 0, description: 'Number of records.' }) },
  { ...closed, title: 'SdkDatasetSummary' },
);

export const TransactionId = described(Text, 'A transaction id.');
