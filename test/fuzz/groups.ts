// Groups of rows, and their measures.
import { canonical, number, type Tagged } from './model/tagged-json.js';
import { aggregate, exactly, type Aggregated } from './aggregates.js';
import { nullsLast, rowCandidate, type Candidate, type Field, type Setting } from './candidate.js';
import { evaluate, type Scope } from './evaluate.js';
import type { Expr } from './expression.js';
import type { Measure } from './pivot.js';
import type { Output, Query } from './query.js';
import { asJson } from './timestamps.js';

interface Group {
  readonly keys: readonly Tagged[];
  readonly rows: Field[];
}

export function groupsOf(
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

export function groupCandidate(
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
