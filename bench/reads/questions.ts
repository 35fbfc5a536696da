// The small reads that a console or a script makes, each over rows that `rows.ts` stored.
import type { Checkout } from '../http/sides.js';
import { idOfRow, rootOfTrace, type Stored } from './rows.js';

export interface Question {
  readonly title: string;
  /** `number` counts the requests: those for one row, or one trace, ask for another one each time. */
  readonly ask: (checkout: Checkout, stored: Stored, number: number) => Promise<unknown>;
}

const query = ({ send }: Checkout, text: string) =>
  send('POST', '/query', JSON.stringify({ query: text }));

const page = ({ send }: Checkout, id: string, limit: number) =>
  send('POST', `/v1/experiment/${id}/fetch`, JSON.stringify({ limit }));

export const health: Question = {
  title: 'GET /health',
  ask: ({ send }) => send('GET', '/health'),
};

export const questions: readonly Question[] = [
  {
    title: 'count of an experiment',
    ask: (checkout, { ours }) =>
      query(checkout, `measures: count(1) as n | from: experiment('${ours}')`),
  },
  {
    title: 'filtered count of an experiment',
    ask: (checkout, { ours }) =>
      query(
        checkout,
        `measures: count(1) as n | from: experiment('${ours}') | filter: scores.factuality > 0.5`,
      ),
  },
  {
    title: 'groups of the log',
    ask: (checkout) =>
      query(
        checkout,
        `dimensions: metadata.model as model | measures: count(1) as n, avg(scores.accuracy) as accuracy | from: project_logs('${checkout.projectId}')`,
      ),
  },
  {
    title: 'one row by its id',
    ask: (checkout, { logRows }, number) =>
      query(
        checkout,
        `select: * | from: project_logs('${checkout.projectId}') | filter: id = '${idOfRow((number * 7919) % logRows)}'`,
      ),
  },
  {
    title: 'one trace of 12 rows',
    ask: (checkout, { logRows }, number) =>
      query(
        checkout,
        `select: * | from: project_logs('${checkout.projectId}') | filter: root_span_id = '${rootOfTrace((number * 7919) % Math.floor(logRows / 12))}'`,
      ),
  },
  {
    title: 'ten rows of the log by a query',
    ask: (checkout) =>
      query(
        checkout,
        `select: id, created, input, scores | from: project_logs('${checkout.projectId}') | limit: 10`,
      ),
  },
  { title: 'page of 10 events', ask: (checkout, { ours }) => page(checkout, ours, 10) },
  { title: 'page of 100 events', ask: (checkout, { ours }) => page(checkout, ours, 100) },
  {
    title: 'summary against another experiment',
    ask: ({ send }, { ours, theirs }) =>
      send(
        'GET',
        `/v1/experiment/${ours}/summarize?summarize_scores=true&comparison_experiment_id=${theirs}`,
      ),
  },
];
