// Two answers to a question -> whether they say the same, or the first place where they differ.
import { isDeepStrictEqual } from 'node:util';
import type { AnswerRow } from '../contenders/contender.js';
import type { ColumnType, Question } from './question.js';

/** Relative; engines add doubles in different orders. */
const tolerance = 1e-9;

type Value = string | number | null;

/** Milliseconds as text, since the tolerance is for numbers. ClickHouse leaves out the zone; all times are UTC. */
function readTime(value: unknown): string {
  if (value instanceof Date) return String(value.getTime());
  const text = String(value).replace(' ', 'T');
  return String(Date.parse(/[Z+]/.test(text) ? text : `${text}Z`));
}

/** Keys in order, so that equal JSON has equal text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]));
}

/** A column that holds nothing but strings may give them as they are instead of as JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const readers = {
  text: String,
  number: Number,
  time: readTime,
  json: (value: unknown) => JSON.stringify(sorted(jsonOf(String(value)))),
} as const satisfies Record<ColumnType, (value: unknown) => Value>;

const read = (question: Pick<Question, 'columns'>, row: AnswerRow): readonly Value[] =>
  Object.entries(question.columns).map(([name, type]) => {
    const value = row[name];
    return value === null || value === undefined ? null : readers[type](value);
  });

const same = (a: Value | undefined, b: Value | undefined): boolean =>
  typeof a === 'number' && typeof b === 'number'
    ? Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b))
    : isDeepStrictEqual(a, b);

/** Most questions do not ask for an order of the rows: texts first, since numbers may differ in their last digits. */
function inOrder(rows: readonly (readonly Value[])[]): readonly (readonly Value[])[] {
  const keyOf = (row: readonly Value[]) =>
    JSON.stringify([
      row.filter((value) => typeof value !== 'number'),
      row.filter((value) => typeof value === 'number').map((value) => value.toPrecision(8)),
    ]);
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
}

/** Null when the answers are the same; otherwise a sentence. */
export function difference(
  question: Pick<Question, 'columns' | 'isOrdered'>,
  expected: readonly AnswerRow[],
  actual: readonly AnswerRow[],
): string | null {
  if (expected.length !== actual.length)
    return `expected ${expected.length} rows, got ${actual.length}`;
  const [left, right] = [expected, actual].map((rows) => {
    const values = rows.map((row) => read(question, row));
    return question.isOrdered === true ? values : inOrder(values);
  });
  const names = Object.keys(question.columns);
  for (const [index, row] of (left ?? []).entries()) {
    const other = right?.[index] ?? [];
    const column = row.findIndex((value, place) => !same(value, other[place]));
    if (column >= 0) {
      const [wanted, got] = [row[column], other[column]].map((value) =>
        JSON.stringify(value)?.slice(0, 80),
      );
      return `row ${index}: expected ${names[column]} ${wanted}, got ${got}`;
    }
  }
  return null;
}
