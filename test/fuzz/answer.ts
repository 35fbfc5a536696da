// The answer to a query, worked out row by row. The rows are in the default order.
import { canonical, number, textIn, type Tagged } from '../model/tagged-json.js';
import { aggregate, exactly, type Aggregated } from './aggregates.js';
import { evaluate, type Kind, type Scope } from './evaluate.js';
import type { Expr } from './expression.js';
import type { Context } from './functions.js';
import { orderOf } from './operators.js';
import { turned, type Measure } from './pivot.js';
import { shownOf } from './preview.js';
import { outputsOf, type Output, type Query } from './query.js';
import { summariesOf } from './summary.js';
import { asJson } from './timestamps.js';
import { membersOf } from './unpivot.js';

/** The value of a top-level field of a row. */
export type Field = (name: string) => Tagged;

export interface Setting {
  readonly context: Context;
  readonly observe: (op: string, kind: Kind) => void;
}

/** A row of the answer before it is printed. */
interface Candidate {
  /** The rows that it is made of. */
  readonly rows: readonly Field[];
  readonly scope: Scope;
  readonly outputs: readonly (() => Aggregated)[];
  /** The trace of a row; empty for a group. */
  readonly trace: string;
}

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
  const shown = shaped(query, rows, matching);
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

function shaped(
  { shape }: Query,
  rows: readonly Field[],
  matching: readonly Field[],
): readonly Field[] {
  if (shape !== 'traces' && shape !== 'summary') return matching;
  const whole = wholeTraces(rows, matching);
  return shape === 'summary' ? summariesOf(whole) : whole;
}

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

const traceOf = (row: Field): string => textIn(row('root_span_id'));

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

function rowCandidate(row: Field, expressions: readonly Expr[], setting: Setting): Candidate {
  const scope: Scope = {
    ...setting,
    field: row,
    output: (index) => evaluate(expressions[index]!, scope),
    aggregate: () => {
      throw new Error('an aggregate of a row');
    },
  };
  const outputs = expressions.map((_, index) => () => exactly(scope.output(index)));
  return { rows: [row], scope, outputs, trace: traceOf(row) };
}

interface Group {
  readonly keys: readonly Tagged[];
  readonly rows: Field[];
}

function groupsOf(
  outputs: readonly Output[],
  rows: readonly Field[],
  setting: Setting,
): readonly Group[] {
  const groups = new Map<string, Group>();
  if (outputs.length === 0) groups.set('', { keys: [], rows: [] });
  for (const row of rows) {
    const { scope } = rowCandidate(row, [], setting);
    const keys = outputs.map(({ expression }) => evaluate(expression, scope));
    const name = keys.map((key) => canonical(asJson(key))).join('\n');
    const group = groups.get(name) ?? { keys, rows: [] };
    groups.set(name, group);
    group.rows.push(row);
  }
  return [...groups.values()].toSorted((left, right) => orderOfKeys(left.keys, right.keys));
}

const orderOfKeys = (left: readonly Tagged[], right: readonly Tagged[]): number =>
  left.map((key, index) => nullsLast(key, right[index] ?? null, false)).find(Boolean) ?? 0;

function groupCandidate(
  query: Query,
  measures: readonly Measure[],
  { keys, rows }: Group,
  setting: Setting,
): Candidate {
  const scopeOver = (measured: readonly Field[]): Scope => ({
    ...setting,
    field: () => null,
    output: (index) => keys[index] ?? valueOf(measures[index - keys.length]).value,
    aggregate: (name, args) => aggregateOf(name, args, measured, setting).value,
  });
  const valueOf = (measure: Measure | undefined): Aggregated => {
    if (measure === undefined) return exactly(null);
    const { expression } = measure;
    const measured = rowsOfValue(query, measure, rows, setting);
    return expression.kind === 'aggregate'
      ? aggregateOf(expression.name, expression.args, measured, setting)
      : exactly(evaluate(expression, scopeOver(measured)));
  };
  const outputs = [
    ...keys.map((key) => () => exactly(key)),
    ...measures.map((measure) => () => valueOf(measure)),
  ];
  return { rows, scope: scopeOver(rows), outputs, trace: '' };
}

/** All of them for a measure that is not turned. */
function rowsOfValue(
  { keys }: Query,
  { value }: Measure,
  rows: readonly Field[],
  setting: Setting,
): readonly Field[] {
  const last = keys.at(-1);
  if (value === undefined || last === undefined) return rows;
  const wanted = canonical(asJson(value));
  return rows.filter((row) => {
    const { scope } = rowCandidate(row, [], setting);
    return canonical(asJson(evaluate(last.expression, scope))) === wanted;
  });
}

function aggregateOf(
  name: string,
  args: readonly Expr[],
  rows: readonly Field[],
  setting: Setting,
): Aggregated {
  const [argument, fraction] = args;
  if (argument === undefined) return exactly(number(rows.length));
  const values = rows.map((row) => evaluate(argument, rowCandidate(row, [], setting).scope));
  return aggregate(name, values, fraction, setting.observe);
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

function nullsLast(left: Tagged, right: Tagged, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return descending ? orderOf(right, left) : orderOf(left, right);
}
