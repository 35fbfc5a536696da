// Calendar arithmetic in the time zone of the request. All timestamps are instants in UTC in the years 0 to 9999, the range of ISO
// 8601; a result outside of it is NULL.
import { sql, type Sql } from '../../duckdb/sql.js';
import { timeUnits, type TimeUnit } from '../syntax/ast.js';
import { bindOnce, isAtomic, isConstant } from './share.js';
import { scalarValue, type Value } from './value.js';

/** The parameters of the request that affect the result of a query. */
export interface QueryContext {
  /** Minutes west of UTC: 480 is US Pacific standard time. */
  readonly tzOffsetMinutes: number;
  /** Microseconds since 1970. */
  readonly nowMicros: bigint;
}

export const isTimeUnit = (name: string): name is TimeUnit =>
  timeUnits.some((unit) => unit === name);

const firstInstant = sql`TIMESTAMP '0000-01-01'`;
const lastInstant = sql`TIMESTAMP '9999-12-31 23:59:59.999999'`;
const secondYear = sql`TIMESTAMP '0001-01-01'`;

const inYears = (timestamp: Sql): Sql =>
  sql`${timestamp} BETWEEN ${firstInstant} AND ${lastInstant}`;

/** Adds an interval to a timestamp. TRY, because the engine throws on overflow. */
export function shiftedTimestamp(timestamp: Sql, operator: Sql, interval: Sql): Sql {
  const shifted = sql`TRY(${timestamp} ${operator} ${interval})`;
  // On a column, a second addition of a constant costs less than a list.
  if (isAtomic(timestamp) && isConstant(interval))
    return sql`CASE WHEN ${inYears(shifted)} THEN ${shifted} END`;
  return bindOnce(shifted, (x) => sql`CASE WHEN ${inYears(x)} THEN ${x} END`);
}

/** The start of the local second, day, … of a timestamp. Weeks begin on Monday. */
export function bucket(
  unit: TimeUnit,
  timestamp: Sql,
  { tzOffsetMinutes }: Pick<QueryContext, 'tzOffsetMinutes'>,
): Value {
  const isInYears = tzOffsetMinutes === 0 && unit !== 'week';
  if (isInYears) return scalarValue('timestamp', truncated(unit, timestamp));
  const offset = sql`to_minutes(${BigInt(tzOffsetMinutes)})`;
  const startOf = (x: Sql): Sql =>
    tzOffsetMinutes === 0
      ? truncated(unit, x)
      : sql`(${truncated(unit, sql`(${x} - ${offset})`)} + ${offset})`;
  // The start is at most a year before the timestamp.
  const checked = bindOnce(
    timestamp,
    (x) =>
      sql`CASE WHEN ${x} >= ${secondYear} OR ${startOf(x)} >= ${firstInstant} THEN ${startOf(x)} END`,
  );
  return scalarValue('timestamp', checked);
}

const truncated = (unit: TimeUnit, timestamp: Sql): Sql => sql`date_trunc(${unit}, ${timestamp})`;

const microsPerMinute = 60_000_000n;
const microsPerDay = 86_400_000_000n;

/** The last local midnight, in microseconds since 1970. */
export function localMidnight(micros: bigint, tzOffsetMinutes: number): bigint {
  const offset = BigInt(tzOffsetMinutes) * microsPerMinute;
  const sinceMidnight = (((micros - offset) % microsPerDay) + microsPerDay) % microsPerDay;
  return micros - sinceMidnight;
}

export const constantTimestamp = (micros: bigint): Value =>
  scalarValue('timestamp', sql`make_timestamp(${micros})`);
