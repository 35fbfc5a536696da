// `unpivot`: a row for each member of an object, or element of an array, that is not null.
import * as fc from 'fast-check';
import { isArray, isObject, type Tagged } from './model/tagged-json.js';
import type { Field } from './candidate.js';
import { apply, type Expr } from './expression.js';
import { mixedPlace, places } from './pools.js';
import type { Output, Query } from './query.js';

export interface Unpivot {
  readonly expression: Expr;
  readonly of: 'object' | 'array';
}

/** The names of the new fields. */
export const keyName = 'member';
export const valueName = 'part';

const path = (field: string): Expr => ({ kind: 'path', field, steps: [] });

const unpivot: fc.Arbitrary<Unpivot> = fc
  .constantFrom('object' as const, 'array' as const)
  .chain((of) =>
    fc.record({
      expression: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom<Expr>(...places[of]) },
        { weight: 1, arbitrary: fc.constant<Expr>(mixedPlace) },
      ),
      of: fc.constant(of),
    }),
  );

/** Behind the outputs that the query has, so that their places stay. */
const shown = (expressions: readonly Expr[]): readonly Output[] =>
  expressions.map((expression, index) => ({ expression, alias: `u${index}`, isNamed: true }));

const ofRows = ({ of }: Unpivot): readonly Expr[] =>
  of === 'object' ? [path(keyName), path(valueName)] : [path(valueName)];

const ofGroups: readonly Expr[] = ['count', 'max', 'count_distinct'].map((name) => ({
  kind: 'aggregate',
  name,
  args: [path(valueName)],
}));

const test: fc.Arbitrary<Expr> = fc.constantFrom(
  apply('is not null', path(valueName)),
  apply('>=', path(valueName), { kind: 'literal', json: '1' }),
  apply('!=', path(valueName), { kind: 'literal', json: '"gpt-4"' }),
);

/** Shows the parts, and keeps the rows whose parts meet the condition. */
function takenApart(plain: Query, unpivot: Unpivot, condition: Expr | null): Query {
  const more = plain.kind === 'rows' ? ofRows(unpivot) : ofGroups;
  const { filter } = plain;
  const both = filter === null || condition === null ? null : apply('and', filter, condition);
  return {
    ...plain,
    unpivot,
    outputs: [...plain.outputs, ...shown(more)],
    filter: both ?? condition ?? filter,
  };
}

/** Now and then a query takes the rows apart. */
export const sometimesUnpivoted = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc
    .tuple(query, fc.nat(5), unpivot, fc.option(test, { freq: 2 }))
    .map(([plain, chance, unpivot, condition]) =>
      chance > 0 || plain.shape === 'traces' ? plain : takenApart(plain, unpivot, condition),
    );

/** The rows that one row is taken apart into; `value` is that of the expression. */
export function membersOf(row: Field, value: Tagged, of: Unpivot['of']): readonly Field[] {
  const member =
    (key: Tagged, part: Tagged): Field =>
    (name) => {
      if (name === keyName) return key;
      return name === valueName ? part : row(name);
    };
  const members: readonly (readonly [Tagged, Tagged])[] =
    of === 'object'
      ? Object.entries(isObject(value) ? value : {})
      : (isArray(value) ? value : []).map((part) => [null, part]);
  return members.flatMap(([key, part]) => (part === null ? [] : [member(key, part)]));
}
