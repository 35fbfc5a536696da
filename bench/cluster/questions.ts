// The questions for both engines: those of the benchmark that scan, and others that people ask of logs.
import type { Question } from '../questions/question.js';
import { questions } from '../questions/questions.js';

export type ClusterQuestion = Pick<Question, 'title' | 'columns' | 'isOrdered' | 'evalstore'>;

const more: readonly ClusterQuestion[] = [
  {
    title: 'calls by model and day',
    columns: { model: 'text', day: 'time', n: 'number' },
    evalstore: 'dimensions: metadata.model as model, day(created) as day | measures: count(1) as n',
  },
  {
    title: 'error rate by model',
    columns: { model: 'text', rate: 'number' },
    evalstore: 'dimensions: metadata.model as model | measures: count(error) / count(1) as rate',
  },
  {
    title: 'the 20 users with the highest cost',
    columns: { user: 'text', cost: 'number' },
    isOrdered: true,
    evalstore: `dimensions: metadata.user_id as user | measures: sum(metadata.cost_usd) as cost
      sort: cost desc, user | limit: 20`,
  },
  {
    title: 'the 50 longest traces',
    columns: { trace: 'text', seconds: 'number', spans: 'number' },
    isOrdered: true,
    evalstore: `dimensions: root_span_id as trace
      measures: max(metrics.end) - min(metrics.start) as seconds, count(1) as spans
      sort: seconds desc, trace | limit: 50`,
  },
  {
    title: 'the 10 newest rows with input and output',
    columns: { id: 'text', created: 'time', input: 'json', output: 'json' },
    isOrdered: true,
    evalstore:
      'select: id as id, created as created, input as input, output as output | sort: created desc, id | limit: 10',
  },
  {
    title: 'rows with a word in their output',
    columns: { n: 'number' },
    evalstore: "measures: count(1) as n | filter: output match 'refund'",
  },
  {
    title: 'summaries of the 20 longest traces',
    columns: { trace: 'text', seconds: 'number' },
    evalstore: `select: root_span_id as trace, metrics.duration as seconds
      sort: seconds desc | limit: 20`,
  },
  {
    title: 'rows by tag',
    columns: { tag: 'text', n: 'number' },
    evalstore: 'dimensions: tag | measures: count(1) as n | unpivot: tags as tag',
  },
];

/** A question about a given row or trace is none for a cluster. */
export const clusterQuestions: readonly ClusterQuestion[] = [
  ...questions.filter(({ group }) => group !== 'lookup'),
  ...more,
];

/** Its text for the logs of a project. */
export function textOf({ title, evalstore }: ClusterQuestion, projectId: string): string {
  const shape = title.startsWith('summaries') ? ' summary' : '';
  return `from: project_logs('${projectId}')${shape} | ${evalstore}`;
}
