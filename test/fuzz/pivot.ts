// `pivot`: measures over the rows of each value of the last dimension, side by side.
import * as fc from 'fast-check';
import { canonical, isString, type Tagged } from './model/tagged-json.js';
import type { Expr } from './expression.js';
import type { Output, Query } from './query.js';
import { textOf, Unspecified } from './text.js';
import { asJson } from './timestamps.js';

/** A column of groups; with `value`, of those rows alone whose last key it is. */
export interface Measure {
  readonly alias: string;
  readonly expression: Expr;
  readonly value?: Tagged;
}

export interface Columns {
  readonly keys: readonly Output[];
  readonly measures: readonly Measure[];
}

/** `values` are the different values of the last key in their order. */
export function turned({ keys, outputs, pivot }: Query, values: readonly Tagged[]): Columns {
  if (pivot.length === 0 || values.length === 0) return { keys, measures: outputs };
  const kept = outputs.filter((_, index) => !pivot.includes(index));
  const others = keys.slice(0, -1);
  const measures = values.flatMap((value) =>
    pivot.map((index) => outputs[index]!).map((output) => overValue(output, value)),
  );
  const names = [...others, ...kept, ...measures].map(({ alias }) => alias);
  if (new Set(names).size < names.length) throw new Unspecified('columns of the same name');
  return { keys: others, measures: [...kept, ...measures] };
}

const overValue = ({ alias, expression }: Output, value: Tagged): Measure => ({
  alias: `${nameOf(asJson(value))}_${alias}`,
  expression,
  value,
});

function nameOf(value: Tagged): string {
  const isText = typeof value === 'string';
  if (!isText) return canonical(value);
  return isString(value) ? value.slice(1) : (textOf(value) ?? '');
}

/** Now and then a query of groups turns some of its measures. */
export const sometimesPivoted = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc
    .tuple(query, fc.nat(3), fc.nat())
    .map(([plain, chance, choice]) => (chance > 0 ? plain : withPivot(plain, choice)));

/** The bits of `choice` say which measures are turned. */
function withPivot(plain: Query, choice: number): Query {
  const { keys, outputs } = plain;
  if (keys.length === 0 || outputs.length === 0) return plain;
  const all = outputs.map((_, index) => index);
  const some = all.filter((index) => ((choice >> index) & 1) === 1);
  return { ...plain, pivot: some.length === 0 ? all : some, finalFilter: null, sort: [] };
}
