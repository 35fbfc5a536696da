// What a random query shows, and how that is called.
import * as fc from 'fast-check';
import type { Expr } from './expression.js';
import type { Output } from './query.js';

/** Besides `c0`, `c1`, …; words of the language are ordinary names too. */
const oddNames = [
  'hour',
  'Hour',
  'date',
  'x y',
  'count',
  'é',
  'select',
  'and',
  "it's",
  'a"b',
  'C0',
];

/** Fields that every row has; an alias of that name means the field in `filter` and `sort`. */
const fieldNames = new Set<string>([
  ...(['id', 'created', 'input', 'output', 'expected', 'scores', 'metadata', 'metrics'] as const),
  ...(['tags', 'is_root', 'root_span_id', 'span_parents', 'span_attributes', 'error'] as const),
]);

interface Drawn {
  readonly expression: Expr;
  readonly name: string | null;
}

export const drawn = (expression: fc.Arbitrary<Expr>): fc.Arbitrary<Drawn> =>
  fc.record({
    expression,
    name: fc.option(fc.constantFrom(...oddNames), { freq: 4 }),
  });

/** The last part of a path: its name when none is given. */
function implicitName(expression: Expr): string | null {
  if (expression.kind !== 'path') return null;
  const names = expression.steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? expression.field;
}

/** Names that differ: one that is taken, or that was not drawn, becomes `c` and the place. */
export function named(
  items: readonly Drawn[],
  first: number,
  taken: Set<string>,
): readonly Output[] {
  return items.map(({ expression, name }, index) => {
    const implicit = implicitName(expression);
    const wanted = implicit !== null && name !== null && name > 'd' ? implicit : name;
    const isFree = wanted !== null && !taken.has(wanted);
    const alias = isFree ? wanted : `c${first + index}`;
    taken.add(alias);
    return { expression, alias, isNamed: alias !== implicit };
  });
}

/** Outputs that a name alone refers to. */
const plain = /^[a-z]\w*$/i;
const words = new Set(['and', 'select', 'count', 'date']);
export const namable = (outputs: readonly Output[]): readonly number[] =>
  outputs.flatMap(({ alias }, index) =>
    plain.test(alias) && !words.has(alias) && !fieldNames.has(alias) ? [index] : [],
  );

export const aliasOf = (indexes: readonly number[]): fc.Arbitrary<Expr> =>
  fc.constantFrom(...indexes).map((output) => ({ kind: 'alias', output }));
