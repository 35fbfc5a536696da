// Parameters and answers of summaries of experiments and datasets.
import { Type, type Static } from 'typebox';
import { FiniteNumber, Flag, Text, Uuid, closed, described, recordOf } from './scalar.js';

const Count = Type.Integer({ minimum: 0 });

const Url = Type.String({ format: 'uri' });

export const ExperimentSummaryParameters = Type.Object(
  {
    summarize_scores: Type.Optional(
      described(
        Flag,
        'Whether to summarize scores and metrics; if false, returns only names and links.',
      ),
    ),
    comparison_experiment_id: Type.Optional(
      described(
        Uuid,
        'Experiment to compare with; by default the one in `base_exp_id`, else the most recent other one of the project.',
      ),
    ),
    filter: Type.Optional(
      described(
        Text,
        'Condition as in the clause `filter` of a query. Only traces whose root passes it count, in both experiments.',
      ),
    ),
  },
  closed,
);

export const DatasetSummaryParameters = Type.Object(
  {
    summarize_data: Type.Optional(
      described(Flag, 'Whether to count the records; if false, returns only names and links.'),
    ),
  },
  closed,
);

/** `diff` is absent if nothing is comparable; values that require two numbers are absent if there are fewer. */
const difference = {
  diff: Type.Optional(
    described(
      FiniteNumber,
      'Mean difference over matched inputs: this experiment minus the other.',
    ),
  ),
  improvements: described(Count, 'Matched inputs where this experiment is better.'),
  regressions: described(Count, 'Matched inputs where this experiment is worse.'),
};

const name = described(Text, 'Name.');

export const ScoreSummary = Type.Object(
  {
    name,
    score: described(FiniteNumber, 'Mean over the traces that have a value.'),
    ...difference,
    count: described(Count, 'Traces that have the score.'),
    stddev: Type.Optional(
      described(FiniteNumber, 'Sample standard deviation of the score over these traces.'),
    ),
    diff_count: described(Count, 'Matched inputs that have the score in both experiments.'),
    diff_low: Type.Optional(
      described(FiniteNumber, 'Lower bound of the 95 % confidence interval of `diff`.'),
    ),
    diff_high: Type.Optional(
      described(FiniteNumber, 'Upper bound of the 95 % confidence interval of `diff`.'),
    ),
  },
  { ...closed, title: 'ScoreSummary' },
);

export const MetricSummary = Type.Object(
  {
    name,
    metric: described(FiniteNumber, 'Mean over the traces that have a value.'),
    unit: described(Text, 'Unit: `s` for seconds, `tok` for tokens, else empty.'),
    ...difference,
  },
  { ...closed, title: 'MetricSummary' },
);

const projectName = described(Text, 'Name of the project.');
const projectUrl = described(Url, 'URL of the project.');

export const ExperimentSummary = Type.Object(
  {
    project_name: projectName,
    experiment_name: described(Text, 'Name of the experiment.'),
    project_url: projectUrl,
    experiment_url: described(Url, 'URL of the experiment.'),
    comparison_experiment_name: Type.Optional(described(Text, 'Name of the other experiment.')),
    scores: Type.Optional(recordOf(ScoreSummary, { description: 'Scores by name.' })),
    metrics: Type.Optional(recordOf(MetricSummary, { description: 'Metrics by name.' })),
  },
  { ...closed, title: 'ExperimentSummary' },
);

export const DatasetSummary = Type.Object(
  {
    project_name: projectName,
    dataset_name: described(Text, 'Name of the dataset.'),
    project_url: projectUrl,
    dataset_url: described(Url, 'URL of the dataset.'),
    data_summary: Type.Optional(
      Type.Object(
        { total_records: described(Count, 'Number of records.') },
        { ...closed, description: 'Summary of the records.' },
      ),
    ),
  },
  { ...closed, title: 'DatasetSummary' },
);

export type ExperimentSummaryRequest = Readonly<Static<typeof ExperimentSummaryParameters>>;
export type DatasetSummaryRequest = Readonly<Static<typeof DatasetSummaryParameters>>;
export type ScoreSummary = Static<typeof ScoreSummary>;
export type MetricSummary = Static<typeof MetricSummary>;
export type ExperimentSummary = Static<typeof ExperimentSummary>;
export type DatasetSummary = Static<typeof DatasetSummary>;
