// What people ask of an evaluation of four models on the problems of grade-school-math.
import { leaves, type LeafColumn } from '../contenders/leaf-columns.js';
import { rowById } from './questions.js';
import { standard, type Question } from './question.js';

export const gsm8kLeaves: readonly LeafColumn[] = [
  ...leaves('scores', { correct: 'number' }),
  ...leaves('metadata', {
    model: 'text',
    method: 'text',
    problem: 'number',
    steps: 'number',
    answer: 'text',
  }),
];

const accuracy: Question = {
  name: 'accuracy',
  group: 'analytic',
  title: 'share of correct answers by model and method',
  columns: { model: 'text', method: 'text', correct: 'number', n: 'number' },
  evalstore: `dimensions: metadata.model as model, metadata.method as method
    measures: avg(scores.correct) as correct, count(1) as n`,
  ...standard(
    'SELECT model, method, avg(correct) AS correct, count(*) AS n FROM event GROUP BY model, method',
  ),
};

const accuracyBySteps: Question = {
  name: 'accuracy-by-steps',
  group: 'analytic',
  title: 'share of correct answers by number of calculations',
  columns: { steps: 'number', correct: 'number', n: 'number' },
  evalstore:
    'dimensions: metadata.steps as steps | measures: avg(scores.correct) as correct, count(1) as n',
  ...standard('SELECT steps, avg(correct) AS correct, count(*) AS n FROM event GROUP BY steps'),
};

const longestWrong: Question = {
  name: 'longest-wrong',
  group: 'analytic',
  title: 'the 20 wrong answers with the most calculations',
  columns: { id: 'text', steps: 'number' },
  isOrdered: true,
  evalstore: `select: id as id, metadata.steps as steps
    filter: scores.correct = 0 | sort: steps desc, id | limit: 20`,
  duckdb: 'SELECT id, steps FROM event WHERE correct = 0 ORDER BY steps DESC, id LIMIT 20',
  clickhouse: 'SELECT id, steps FROM event WHERE correct = 0 ORDER BY steps DESC, id LIMIT 20',
  postgres:
    'SELECT id, steps FROM event WHERE correct = 0 ORDER BY steps DESC, id COLLATE "C" LIMIT 20',
};

const hardProblems: Question = {
  name: 'solved-by',
  group: 'analytic',
  title: 'correct answers to each problem',
  columns: { problem: 'number', correct: 'number', answers: 'number' },
  evalstore: `dimensions: metadata.problem as problem
    measures: sum(scores.correct) as correct, count_distinct(metadata.answer) as answers`,
  ...standard(`SELECT problem, sum(correct) AS correct, count(DISTINCT answer) AS answers
    FROM event GROUP BY problem`),
};

const word: Question = {
  name: 'search-word',
  group: 'search',
  title: 'substring of the answers',
  columns: { id: 'text' },
  evalstore: `select: id as id | filter: output ILIKE '%muffin%'`,
  ...standard("SELECT id FROM event WHERE output ILIKE '%muffin%'"),
  postgres: `SELECT id FROM event WHERE output::text ILIKE '%muffin%'`,
};

export const gsm8kQuestions: readonly Question[] = [
  accuracy,
  accuracyBySteps,
  longestWrong,
  hardProblems,
  word,
  rowById,
];
