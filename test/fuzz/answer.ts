// The answer to a query, worked out row by row. The rows are in the default order.
import type { Aggregated } from './aggregates.js';
import {
  nullsLast,
  rowCandidate,
  traceOf,
  type Candidate,
  type Field,
  type Setting,
} from './candidate.js';
import { evaluate } from './evaluate.js';
import type { Expr } from './expression.js';
import { groupCandidate, groupsOf } from './groups.js';
import { turned, type Measure } from './pivot.js';
import { shownOf } from './preview.js';
import { outputsOf, type Query } from './query.js';
import { rowsOfTraces } from './trace-filters.js';
import { membersOf } from './unpivot.js';

export interface AnswerRow {
  readonly outputs: readonly Aggregated[];
  /** The rows that it is made of. */
  readonly rows: readonly Field[];
}

export interface Answer {
  readonly columns: readonly Measure[];
  readonly rows: readonly AnswerRow[];
}

/** Without what `sample` does. */
export function answer(query: Query, rows: readonly Field[], setting: Setting): Answer {
  const expressions = outputsOf(query).map(({ expression }) => expression);
  const candidate = (row: Field) => rowCandidate(row, expressions, setting);
  const taken = takenApart(query, rows, setting);
  const matching = taken.filter((row) => passes(query.filter, candidate(row)));
  const shown = isOfTraces(query)
    ? rowsOfTraces(query, wholeTraces(rows, matching), (filter, row) =>
        passes(filter, candidate(row)),
      )
    : matching;
  const { keys, measures } = turned(query, valuesOfLastKey(query, shown, setting));
  const candidates =
    query.kind === 'rows'
      ? shown.map(candidate)
      : groupsOf(keys, shown, setting)
          .map((group) => groupCandidate(query, measures, group, setting))
          .filter((group) => passes(query.finalFilter, group));
  const columns = [...keys, ...measures];
  return {
    columns,
    rows: limited(query, sorted(query, candidates)).map(({ outputs, rows }) => ({
      outputs: outputs.map((output, index) => previewed(query, columns[index], output())),
      rows,
    })),
  };
}

const previewed = (
  query: Query,
  column: Measure | undefined,
  { value, ...output }: Aggregated,
): Aggregated => ({
  ...output,
  value: column === undefined ? value : shownOf(query, column.expression, value),
});

const isOfTraces = ({ shape }: Query): boolean => shape === 'traces' || shape === 'summary';

/** For `pivot` alone, in their order. */
function valuesOfLastKey({ keys, pivot }: Query, rows: readonly Field[], setting: Setting) {
  if (pivot.length === 0) return [];
  return groupsOf(keys.slice(-1), rows, setting).map((group) => group.keys[0] ?? null);
}

function takenApart(
  { unpivot }: Query,
  rows: readonly Field[],
  setting: Setting,
): readonly Field[] {
  if (unpivot === null) return rows;
  return rows.flatMap((row) => {
    const { scope } = rowCandidate(row, [], setting);
    return membersOf(row, evaluate(unpivot.expression, scope), unpivot.of);
  });
}

const passes = (expression: Expr | null, { scope }: Candidate): boolean =>
  expression === null || evaluate(expression, scope) === true;

function wholeTraces(rows: readonly Field[], matching: readonly Field[]): readonly Field[] {
  const traces = new Set(matching.map(traceOf));
  return rows.filter((row) => traces.has(traceOf(row)));
}

/** Traces count by their first rows. */
function limited({ limit, shape, kind }: Query, rows: readonly Candidate[]): readonly Candidate[] {
  if (limit === null) return rows;
  if (shape !== 'traces' || kind === 'groups') return rows.slice(0, limit);
  const kept = new Set([...new Set(rows.map(({ trace }) => trace))].slice(0, limit));
  return rows.filter(({ trace }) => kept.has(trace));
}

function sorted({ sort }: Query, candidates: readonly Candidate[]): readonly Candidate[] {
  const keyed = candidates.map((candidate) => ({
    candidate,
    keys: sort.map(({ expression }) => evaluate(expression, candidate.scope)),
  }));
  return keyed
    .toSorted(
      (left, right) =>
        sort
          .map(({ direction }, index) =>
            nullsLast(left.keys[index] ?? null, right.keys[index] ?? null, direction === ' desc'),
          )
          .find(Boolean) ?? 0,
    )
    .map(({ candidate }) => candidate);
}
