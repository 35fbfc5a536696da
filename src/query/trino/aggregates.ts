// The aggregates by name, as two parts: over the rows of a group, and over the result. What is not in the table declines.
import { sql, type Sql } from '../../duckdb/sql.js';
import { measure, nullValue, scalar, as, valueOf, type TrinoValue } from './value.js';

export interface Aggregation {
  readonly sql: Sql;
  /** The value of a column with the result. */
  readonly read: (column: Sql) => TrinoValue;
}

type Aggregate = (args: readonly TrinoValue[]) => Aggregation;

const count = (aggregate: Sql): Aggregation => ({
  sql: aggregate,
  read: (column) => valueOf('number', sql`CAST(${column} AS double)`),
});

/** As `repeatable` of DuckDB's side: whole numbers as they are, others to 15 digits, NULL for what a double cannot hold. */
const rounded = (x: Sql): TrinoValue =>
  valueOf(
    'number',
    sql`CASE WHEN ${x} = truncate(${x}) AND abs(${x}) < 9007199254740992E0 THEN ${x} WHEN is_finite(${x}) THEN CAST(format('%.14e', ${x}) AS double) END`,
  );

const ofMeasures =
  (aggregate: (measure: Sql) => Sql): Aggregate =>
  ([value = nullValue]) => ({ sql: aggregate(measure(value)), read: rounded });

const extreme =
  (aggregate: (value: Sql) => Sql): Aggregate =>
  ([value = nullValue]) => {
    const { kind, sql: native } = scalar(value, 'in min or max');
    return { sql: aggregate(native), read: (column) => valueOf(kind, column) };
  };

/** Between the two numbers next to the percentile of sorted numbers: exact, while Trino's own percentiles are not. */
function interpolated(sorted: Sql, fraction: Sql): Sql {
  const place = sql`(${fraction} * (cardinality(${sorted}) - 1))`;
  const at = (index: Sql) => sql`element_at(${sorted}, CAST(${index} AS bigint) + 1)`;
  const low = at(sql`floor(${place})`);
  return sql`(${low} + (${at(sql`ceil(${place})`)} - ${low}) * (${place} - floor(${place})))`;
}

export const aggregates: Readonly<Record<string, Aggregate>> = {
  count: ([value]) => count(value === undefined ? sql`count(*)` : sql`count(${value.sql})`),
  count_distinct: ([value = nullValue]) =>
    count(sql`count(DISTINCT ${scalar(value, 'in count_distinct').sql})`),
  sum: ofMeasures((number) => sql`sum(${number})`),
  avg: ofMeasures((number) => sql`avg(${number})`),
  min: extreme((value) => sql`min(${value})`),
  max: extreme((value) => sql`max(${value})`),
  percentile: ([value = nullValue, fraction = nullValue]) => {
    const number = as('number', value);
    return {
      sql: sql`array_sort(array_agg(${number}) FILTER (WHERE ${number} IS NOT NULL))`,
      read: (sorted) => valueOf('number', interpolated(sorted, as('number', fraction))),
    };
  },
};
