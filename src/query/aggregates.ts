// The aggregates of the language: name -> the engine's aggregate, and how its result is read.
import { sql, type Sql } from '../duckdb/sql.js';
import {
  keyOf,
  presence,
  scalarKind,
  scalarValue,
  sortable,
  sortableValue,
  type Value,
} from './value.js';

export interface Aggregation {
  readonly sql: Sql;
  /** The value of the column that the aggregate was stored in. */
  read(column: Sql): Value;
}

export interface AggregateFunction {
  /** `count(*)`; no arguments are passed then. */
  readonly takesStar?: boolean;
  readonly arguments: number;
  /** A sum of doubles: its last digits depend on the order in which threads add. */
  readonly isInexact?: boolean;
  apply(args: readonly Value[]): Aggregation;
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
  isInexact: true,
  apply: (args) => ({ sql: aggregate(first(args).facet('measure')), read: readNumber }),
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
    apply: (args) => ({ sql: sql`count(DISTINCT ${keyOf(first(args)).key})`, read: readCount }),
  },
  sum: ofMeasures((measure) => sql`sum(${measure})`),
  avg: ofMeasures((measure) => sql`avg(${measure})`),
  min: extreme((value) => sql`min(${value})`),
  max: extreme((value) => sql`max(${value})`),
};
