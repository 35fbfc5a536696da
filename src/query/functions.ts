// The scalar functions of the language: name -> how many arguments, and what it does to their values.
import { sql, type Sql } from '../duckdb/sql.js';
import { includes } from './comparison.js';
import { scalarValue, type ScalarKind, type Value } from './value.js';

/** What the request says beside the query. */
export interface QueryContext {
  /** Minutes west of UTC: 480 is US Pacific standard time. */
  readonly tzOffsetMinutes: number;
  /** Microseconds since 1970. */
  readonly nowMicros: bigint;
}

export interface ScalarFunction {
  readonly minimum: number;
  readonly maximum: number;
  apply(args: readonly Value[], context: QueryContext): Value;
}

/** A function whose arguments are all of one kind: other values, and NULL, give NULL. */
const strict = (
  kinds: readonly Exclude<ScalarKind, 'interval'>[],
  result: ScalarKind,
  template: (...args: Sql[]) => Sql,
): ScalarFunction => ({
  minimum: kinds.length,
  maximum: kinds.length,
  apply: (args) =>
    scalarValue(
      result,
      template(...args.map((value, index) => value.facet(kinds[index] ?? 'string'))),
    ),
});

export const scalarFunctions: Readonly<Record<string, ScalarFunction>> = {
  contains: {
    minimum: 2,
    maximum: 2,
    apply: (args) => includes(...pair(args)),
  },
  lower: strict(['string'], 'string', (text) => sql`lower(${text})`),
  upper: strict(['string'], 'string', (text) => sql`upper(${text})`),
};

/** The arity of the function guarantees both. */
function pair([first, second]: readonly Value[]): [Value, Value] {
  if (first === undefined || second === undefined) throw new Error('arguments are missing');
  return [first, second];
}
