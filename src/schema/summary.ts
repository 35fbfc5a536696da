// What summaries of experiments and datasets are asked with, and what they answer.
import { Type, type Static } from 'typebox';
import { FiniteNumber, Flag, Text, Uuid, closed, described, recordOf } from './scalar.js';

const Count = Type.Integer({ minimum: 0 });

const Url = Type.String({ format: 'uri' });

export const ExperimentSummaryParameters = Type.Object(
  {
    summarize_scores: Type.Optional(
      described(Flag, 'Whether scores and metrics are summed up; only names and links when not.'),
    ),
    comparison_experiment_id: Type.Optional(
      described(
        Uuid,
        'Experiment to compare with; without it the one in `base_exp_id`, else the most recent other of the project.',
      ),
    ),
    filter: Type.Optional(
      described(
        Text,
        'A condition as the clause `filter` of a query has it: only traces whose root passes it are summed up, in both experiments.',
      ),
    ),
  },
  closed,
);

export const DatasetSummaryParameters = Type.Object(
  {
    summarize_data: Type.Optional(
      described(Flag, 'Whether records are counted; only names and links when not.'),
    ),
  },
  closed,
);

/** Absent are `diff` when nothing is comparable, and what takes two numbers when there are fewer. */
const difference = {
  diff: Type.Optional(
    described(FiniteNumber, 'Mean over matched inputs of this experiment minus the other.'),
  ),
  improvements: described(Count, 'Matched inputs where this experiment is better.'),
  regressions: described(Count, 'Matched inputs where this experiment is worse.'),
};

const name = described(Text, 'Name.');

export const ScoreSummary = Type.Object(
  {
    name,
    score: described(FiniteNumber, 'Mean over the traces that have it.'),
    ...difference,
    count: described(Count, 'Traces that have the score.'),
    stddev: Type.Optional(
      described(FiniteNumber, 'Standard deviation of the score over these traces, as a sample.'),
    ),
    diff_count: described(Count, 'Matched inputs that have the score in both experiments.'),
    diff_low: Type.Optional(
      described(FiniteNumber, 'Lower end of the 95 % confidence interval of `diff`.'),
    ),
    diff_high: Type.Optional(
      described(FiniteNumber, 'Upper end of the 95 % confidence interval of `diff`.'),
    ),
  },
  { ...closed, title: 'ScoreSummary' },
);

export const MetricSummary = Type.Object(
  {
    name,
    metric: described(FiniteNumber, 'Mean over the traces that have it.'),
    unit: described(Text, 'Unit: `s` for seconds, `tok` for tokens, else empty.'),
    ...difference,
  },
  { ...closed, title: 'MetricSummary' },
);

const projectName = described(Text, 'Name of the project.');
const projectUrl = described(Url, 'Page of the project.');

export const ExperimentSummary = Type.Object(
  {
    project_name: projectName,
    experiment_name: described(Text, 'Name of the experiment.'),
    project_url: projectUrl,
    experiment_url: described(Url, 'Page of the experiment.'),
    comparison_experiment_name: Type.Optional(
      described(Text, 'Name of the experiment that it is compared with.'),
    ),
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
    dataset_url: described(Url, 'Page of the dataset.'),
    data_summary: Type.Optional(
      Type.Object(
        { total_records: described(Count, 'Number of records.') },
        { ...closed, description: 'What the dataset holds.' },
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
