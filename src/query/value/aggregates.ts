// The aggregates of the language: name -> the engine's aggregate, and how its result is read.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { BoundExpr } from '../bind/bound.js';
import {
  jsonValue,
  nullValue,
  presence,
  repeatable,
  scalarKind,
  scalarValue,
  sortable,
  sortableValue,
  type Value,
} from './value.js';

export interface Aggregation {
  readonly sql: Sql;
  /** The value of the column that the aggregate was stored in. */
  readonly read: (column: Sql) => Value;
}

export interface AggregateFunction {
  /** `count(*)`; no arguments are passed then. */
  readonly takesStar?: boolean;
  readonly arguments: number;
  readonly apply: (args: readonly Value[]) => Aggregation;
  /** Why these cannot be its arguments. */
  readonly check?: (args: readonly BoundExpr[]) => string | null;
}

const readNumber = (column: Sql): Value => scalarValue('number', column);

const readCount = (column: Sql): Value => readNumber(sql`CAST(${column} AS DOUBLE)`);

/** The arity of the aggregate guarantees its argument. */
function first([value]: readonly Value[]): Value {
  if (value === undefined) throw new Error('argument is missing');
  return value;
}

/** Booleans count as 0 and 1, what is not a number is skipped. */
const ofMeasures = (aggregate: (measure: Sql) => Sql): AggregateFunction => ({
  arguments: 1,
  apply: (args) => ({
    sql: aggregate(first(args).facet('measure')),
    read: (sum) => readNumber(repeatable(sum)),
  }),
});

/** In the order of `sort`. */
const extreme = (aggregate: (value: Sql) => Sql): AggregateFunction => ({
  arguments: 1,
  apply: (args) => {
    const value = first(args);
    const kind = scalarKind(value);
    return kind === null
      ? {
          sql: aggregate(sortable(value)),
          read: (column) => sortableValue(column, value.kinds),
        }
      : { sql: aggregate(value.facet(kind)), read: (column) => scalarValue(kind, column) };
  },
});

/** Any one of the values; what it prints is exact. */
const anyValue: AggregateFunction = {
  arguments: 1,
  apply: (args) => {
    const value = first(args);
    const kind = scalarKind(value);
    return {
      sql: sql`any_value(${value.facet(kind ?? 'json')})`,
      read: (column) => (kind === null ? jsonValue(column) : scalarValue(kind, column)),
    };
  },
};

/** Interpolates between the neighbours of the place in the order of the numbers. */
const percentile: AggregateFunction = {
  arguments: 2,
  check: ([, fraction]) =>
    fraction?.kind === 'literal' &&
    typeof fraction.value === 'number' &&
    fraction.value >= 0 &&
    fraction.value <= 1
      ? null
      : 'the second argument is a constant from 0 to 1, such as 0.95 or 95%',
  apply: ([value = nullValue, fraction = nullValue]) => ({
    sql: sql`quantile_cont(${value.facet('number')}, ${fraction.facet('number')})`,
    read: readNumber,
  }),
};

/** Equal for equal values. */
const identity = (value: Value): Sql => value.facet(scalarKind(value) ?? 'canonical');

export const aggregateFunctions: Readonly<Record<string, AggregateFunction>> = {
  count: {
    takesStar: true,
    arguments: 1,
    apply: (args) => ({
      sql: args.length === 0 ? sql`count(*)` : sql`count(${presence(first(args))})`,
      read: readCount,
    }),
  },
  count_distinct: {
    arguments: 1,
    apply: (args) => ({ sql: sql`count(DISTINCT ${identity(first(args))})`, read: readCount }),
  },
  sum: ofMeasures((measure) => sql`sum(${measure})`),
  avg: ofMeasures((measure) => sql`avg(${measure})`),
  min: extreme((value) => sql`min(${value})`),
  max: extreme((value) => sql`max(${value})`),
  percentile,
  any_value: anyValue,
};
