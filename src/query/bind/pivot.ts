// Binds `pivot`, which turns the values of the last dimension into columns. A first query finds these values; each then becomes a
// column of the measures over its rows.
import type { Repetition } from './repetition.js';
import type { LiteralValue, PivotItem, QueryAst } from '../syntax/ast.js';
import { QueryError } from '../../errors.js';
import {
  replaceExprs,
  type BoundExpr,
  type BoundOutput,
  type BoundQuery,
} from '../bound/bound-query.js';
import { canonicalJson } from '../../json/canonical.js';
import { parseJson } from '../../json/parse.js';
import { isJsonObject, membersOf } from '../../json/tree.js';
import { limits } from '../syntax/limits.js';
import { didYouMean } from '../syntax/suggest.js';
import { jsonLiteral, literalText, utcTimestamp } from '../value/literal-value.js';

/** A query for the values in their order, up to one more than the limit on columns; null for a query without `pivot`. */
export function pivotValuesQuery(query: BoundQuery): BoundQuery | null {
  const last = query.dimensions.at(-1);
  if (query.pivoted.length === 0 || last === undefined) return null;
  return {
    ...query,
    dimensions: [last],
    outputs: [{ name: 'value', expression: last }],
    finalFilter: null,
    sort: [],
    limit: limits.pivotValues + 1,
  };
}

/**
 * @param rows the JSON text of each row of `pivotValuesQuery`
 * @throws QueryError for more values than the limit on columns
 */
export function pivotValues(ast: QueryAst, rows: readonly string[]): readonly LiteralValue[] {
  const [item] = ast.pivot;
  if (item !== undefined && rows.length > limits.pivotValues) {
    throw new QueryError(
      item.at,
      `pivot: '${ast.dimensions.at(-1)?.text}' has more than ${limits.pivotValues} values to turn into columns: narrow the query with 'filter'`,
    );
  }
  return rows.map((row) => {
    const value = parseJson(row);
    const [member] = isJsonObject(value) ? [...membersOf(value)] : [];
    return jsonLiteral(member?.[1] ?? null);
  });
}

/** The columns of a query before `pivot`. */
export interface Columns {
  readonly dimensions: readonly BoundOutput[];
  readonly measures: readonly BoundOutput[];
}

/** @throws QueryError for a query without groups, or a name that is not that of a measure */
export function checkPivot(ast: QueryAst, { measures }: Columns): void {
  const [first] = ast.pivot;
  if (first === undefined) return;
  if (ast.dimensions.length === 0 || measures.length === 0 || ast.select !== null) {
    throw new QueryError(first.at, "'pivot' requires both 'dimensions' and 'measures'");
  }
  const names = new Set(measures.map(({ name }) => name));
  for (const { name, at } of ast.pivot) {
    if (!names.has(name)) {
      throw new QueryError(
        at,
        `pivot: no measure is named '${name}'${didYouMean(name, [...names])}`,
      );
    }
  }
}

/** Replaces the pivoted measures by one column per value. Without values the columns stay the same. */
export function pivotColumns(
  items: readonly PivotItem[],
  { dimensions, measures }: Columns,
  values: readonly LiteralValue[],
  repetition: Repetition,
): Columns {
  const by = dimensions.at(-1);
  const [first] = items;
  if (first === undefined || by === undefined || values.length === 0) {
    return { dimensions, measures };
  }
  const pivoted = new Set(items.map(({ name }) => name));
  const kept = measures.filter(({ name }) => !pivoted.has(name));
  checkColumnCount(items, kept.length + dimensions.length - 1 + pivoted.size * values.length);
  const others = dimensions.slice(0, -1);
  const taken = new Set([...others, ...kept].map(({ name }) => name));
  const byName = new Map(measures.map(({ name, expression }) => [name, expression] as const));
  const created = values.flatMap((value) =>
    Array.from(pivoted, (name) => ({
      name: freeName(taken, value, name),
      expression: overValue(byName.get(name) ?? none, by.expression, value),
    })),
  );
  for (const { expression } of created) repetition.add(expression, first.at);
  return { dimensions: others, measures: [...kept, ...created] };
}

/** @throws QueryError */
function checkColumnCount([first]: readonly PivotItem[], columns: number): void {
  if (first !== undefined && columns > limits.columns)
    throw new QueryError(
      first.at,
      `pivot: the result would have ${columns} columns, the limit is ${limits.columns}: narrow the query with 'filter'`,
    );
}

/** The column name: the text of the value and the name of the measure. If it is taken, a string value is quoted. */
function freeName(taken: Set<string>, value: LiteralValue, measure: string): string {
  const json = canonicalJson(literalText(value));
  const plain = `${typeof value === 'string' ? value : json}_${measure}`;
  let name = taken.has(plain) ? `${json}_${measure}` : plain;
  while (taken.has(name)) name += '_';
  taken.add(name);
  return name;
}

/** The arguments of the aggregates are NULL for all other rows, which the aggregates skip. */
function overValue(measure: BoundExpr, by: BoundExpr, value: LiteralValue): BoundExpr {
  const condition: BoundExpr =
    value === null ? { kind: 'isNull', operand: by } : isValue(by, value);
  return replaceExprs(measure, (candidate) => {
    if (candidate.kind !== 'aggregate') return null;
    const [counted = one, ...more] = candidate.args;
    const arg: BoundExpr = { kind: 'conditional', condition, whenTrue: counted, otherwise: none };
    return { ...candidate, args: [arg, ...more] };
  });
}

/** Groups distinguish times and strings by their text, while `=` compares them as times. */
function isValue(by: BoundExpr, value: LiteralValue): BoundExpr {
  const equals = (left: BoundExpr): BoundExpr => ({
    kind: 'binary',
    operator: '=',
    left,
    right: { kind: 'literal', value },
  });
  if (typeof value !== 'string' || utcTimestamp(value) === null) return equals(by);
  const text: BoundExpr = { kind: 'call', name: 'to_string', args: [by] };
  return { kind: 'binary', operator: 'and', left: equals(by), right: equals(text) };
}

const one: BoundExpr = { kind: 'literal', value: 1 };
const none: BoundExpr = { kind: 'literal', value: null };
