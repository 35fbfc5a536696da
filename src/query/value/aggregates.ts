// The aggregate functions by name: the SQL of the aggregate, and the value of its result.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { BoundExpr } from '../bound/bound-query.js';
import { typeOf } from './column-type.js';
import { repeatable } from './repeatable.js';
import {
  jsonValue,
  nullValue,
  presence,
  scalarKind,
  scalarValue,
  sortable,
  sortableValue,
  type Value,
} from './value.js';

export interface Aggregation {
  readonly sql: Sql;
  /** The value of a column with the result of the aggregate. */
  readonly read: (column: Sql) => Value;
}

export interface AggregateFunction {
  /** Whether `*` is allowed, which passes no arguments. */
  readonly takesStar?: boolean;
  readonly arguments: number;
  readonly apply: (args: readonly Value[]) => Aggregation;
  /** The reason why these arguments are not allowed, or null. */
  readonly check?: (args: readonly BoundExpr[]) => string | null;
}

const readNumber = (column: Sql): Value => scalarValue('number', column);

const readCount = (column: Sql): Value => ({
  ...readNumber(sql`CAST(${column} AS DOUBLE)`),
  type: 'BIGINT',
});

/** The arity of the aggregate guarantees its argument. */
function first([value]: readonly Value[]): Value {
  if (value === undefined) throw new Error('argument is missing');
  return value;
}

/** Booleans count as 0 and 1. Other values that are not numbers are skipped. */
const ofMeasures = (
  aggregate: (measure: Sql) => Sql,
  digits: (result: Sql) => Sql,
): AggregateFunction => ({
  arguments: 1,
  apply: (args) => ({
    sql: aggregate(first(args).form('measure')),
    read: (result) => readNumber(digits(result)),
  }),
});

/** Compares values in the order of `sort`. */
const extreme = (aggregate: (value: Sql) => Sql): AggregateFunction => ({
  arguments: 1,
  apply: (args) => {
    const value = first(args);
    const kind = scalarKind(value);
    return kind === null
      ? {
          sql: aggregate(sortable(value)),
          read: (column) => ({ ...sortableValue(column, value.kinds), ...typeOf(value) }),
        }
      : {
          sql: aggregate(value.form(kind)),
          read: (column) => ({ ...scalarValue(kind, column), ...typeOf(value) }),
        };
  },
});

/** An arbitrary value, which prints exactly. */
const anyValue: AggregateFunction = {
  arguments: 1,
  apply: (args) => {
    const value = first(args);
    const kind = scalarKind(value);
    return {
      sql: sql`any_value(${value.form(kind ?? 'json')})`,
      read: (column) => ({
        ...(kind === null ? jsonValue(column) : scalarValue(kind, column)),
        ...typeOf(value),
      }),
    };
  },
};

/** Interpolates linearly between the two numbers next to the percentile. */
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
    sql: sql`quantile_cont(${value.form('number')}, ${fraction.form('number')})`,
    read: readNumber,
  }),
};

const squareMax = 1e100;

/** NULL for larger numbers, which the engine fails to square. */
export const squarable = (measure: Sql): Sql =>
  sql`CASE WHEN abs(${measure}) < ${squareMax} THEN ${measure} END`;

/**
 * The sample standard deviation, sqrt(sum((x - mean)^2) / (n - 1)). NULL for fewer than two numbers, or if one of them exceeds
 * `squareMax`. The factor makes it 0 for equal numbers, whose means in several threads can differ in the last digit.
 */
function sampleDeviation(measure: Sql): Sql {
  const differ = sql`CAST(min(${measure}) < max(${measure}) AS INTEGER)`;
  return sql`CASE WHEN max(abs(${measure})) < ${squareMax} THEN stddev_samp(${squarable(measure)}) * ${differ} END`;
}

/** The double nearest to the 13 leading digits. The others depend on the order in which threads add, and on the storage of rows. */
const repeatableDeviation = (deviation: Sql): Sql =>
  sql`TRY_CAST(format('{:.13g}', ${deviation}) AS DOUBLE)`;

/** A text that is equal for equal values. */
const identity = (value: Value): Sql => value.form(scalarKind(value) ?? 'canonical');

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
  sum: ofMeasures((measure) => sql`fsum(${measure})`, repeatable),
  avg: ofMeasures((measure) => sql`favg(${measure})`, repeatable),
  stddev: ofMeasures(sampleDeviation, repeatableDeviation),
  min: extreme((value) => sql`min(${value})`),
  max: extreme((value) => sql`max(${value})`),
  percentile,
  any_value: anyValue,
};
