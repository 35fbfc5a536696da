// npm test --prefix bench: times count only beside equal answers.
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { Unsupported, type AnswerRow } from '../contenders/contender.js';
import { ask, type Asked } from './ask.js';
import { difference } from './compare-answers.js';
import type { Question } from './question.js';

const question: Question = {
  name: 'question',
  group: 'analytic',
  title: 'a question',
  columns: { key: 'text', value: 'number', at: 'time', json: 'json' },
  evalstore: '{id}',
  duckdb: '{id}',
  clickhouse: '{id}',
  postgres: '{id}',
};

const row: AnswerRow = {
  key: 'a',
  value: 2,
  at: new Date('2024-01-01T00:00:00Z'),
  json: '{"a":1,"b":[2]}',
};
const other: AnswerRow = { ...row, key: 'b' };

const differs = (expected: readonly AnswerRow[], actual: readonly AnswerRow[]) =>
  difference(question, expected, actual) !== null;

await test('answers are the same in another order of rows and keys, and another form of times', () => {
  const written = { ...row, at: '2024-01-01 00:00:00.000', json: '{"b":[2],"a":1}' };
  equal(differs([row, other], [other, written]), false);
});

await test('numbers are the same within 1e-9 of their size', () => {
  for (const value of [2e-6, 2, 2e12]) {
    equal(differs([{ ...row, value }], [{ ...row, value: value * (1 + 5e-10) }]), false);
    equal(differs([{ ...row, value }], [{ ...row, value: value * (1 + 5e-9) }]), true);
  }
});

await test('each kind of value can differ', () => {
  for (const wrong of [
    { key: 'b' },
    { key: null },
    { value: 3 },
    { at: new Date('2024-01-01T00:00:01Z') },
    { json: '{"a":1,"b":[3]}' },
  ])
    equal(differs([row], [{ ...row, ...wrong }]), true, JSON.stringify(wrong));
  equal(differs([row], [row, row]), true);
});

await test('an order that is asked for counts', () => {
  const ordered: Question = { ...question, isOrdered: true };
  match(
    difference(ordered, [row, other], [other, row]) ?? '',
    /^row 0: expected key "a", got "b"$/,
  );
});

const samples = ['first', 'second', 'third'].map((id) => ({ id, trace: '' }));

const named = (name: string, answer: (id: string) => AnswerRow): Asked => ({
  name,
  answer: async ({ duckdb: id }) => [answer(id)],
});

const statusesOf = async (contenders: readonly Asked[]) =>
  (await ask(contenders, question, samples, 5)).map(({ contender, status, milliseconds }) => [
    contender,
    status,
    milliseconds.length,
  ]);

await test('a contender that differs in one round only has no times', async () => {
  const right = named('right', (key) => ({ ...row, key }));
  const wrong = named('wrong', (key) => ({ ...row, key: key === 'third' ? 'x' : key }));
  deepEqual(await statusesOf([right, wrong]), [
    ['right', 'answered', 5],
    ['wrong', 'wrong', 0],
  ]);
});

await test('a contender that refuses leaves the others to be compared', async () => {
  const refusing = named('refusing', () => {
    throw new Unsupported('not for this one');
  });
  const [one, two] = ['one', 'two'].map((name) => named(name, () => row));
  deepEqual(await statusesOf([refusing, one!, two!]), [
    ['refusing', 'unsupported', 0],
    ['one', 'answered', 5],
    ['two', 'answered', 5],
  ]);
});
