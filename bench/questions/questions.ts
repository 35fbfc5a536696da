// Every question, in the order of the report.
import { frequentWord, rareWord } from '../generator/prose.js';
import { analyticQuestions } from './analytic.js';
import { standard, type Question } from './question.js';

const frequent: Question = {
  name: 'search-frequent',
  group: 'search',
  title: 'substring that every fourth input holds',
  columns: { n: 'number' },
  evalstore: `measures: count(1) as n | filter: input ILIKE '%${frequentWord}%'`,
  duckdb: `SELECT count(*) AS n FROM event WHERE input ILIKE '%${frequentWord}%'`,
  clickhouse: `SELECT count(*) AS n FROM event WHERE input ILIKE '%${frequentWord}%'`,
  postgres: `SELECT count(*) AS n FROM event WHERE input::text ILIKE '%${frequentWord}%'`,
};

const rare: Question = {
  name: 'search-rare',
  group: 'search',
  title: 'substring that one input of 20,000 holds',
  columns: { id: 'text' },
  evalstore: `select: id as id | filter: input ILIKE '%${rareWord}%'`,
  duckdb: `SELECT id FROM event WHERE input ILIKE '%${rareWord}%'`,
  clickhouse: `SELECT id FROM event WHERE input ILIKE '%${rareWord}%'`,
  postgres: `SELECT id FROM event WHERE input::text ILIKE '%${rareWord}%'`,
};

export const rowById: Question = {
  name: 'row-by-id',
  group: 'lookup',
  title: 'one row by its id',
  columns: { id: 'text', created: 'time', input: 'json', output: 'json', model: 'text' },
  evalstore: `select: id as id, created as created, input as input, output as output, metadata.model as model
    filter: id = '{id}'`,
  ...standard("SELECT id, created, input, output, model FROM event WHERE id = '{id}'"),
};

const trace: Question = {
  name: 'trace',
  group: 'lookup',
  title: 'the rows of one trace',
  columns: { id: 'text', input: 'json', output: 'json', type: 'text' },
  evalstore: `select: id as id, input as input, output as output, span_attributes.type as type
    filter: root_span_id = '{trace}'`,
  ...standard(
    "SELECT id, input, output, span_type AS type FROM event WHERE root_span_id = '{trace}'",
  ),
};

export const questions: readonly Question[] = [
  ...analyticQuestions,
  frequent,
  rare,
  rowById,
  trace,
];
