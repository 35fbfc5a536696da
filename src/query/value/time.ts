// Calendar arithmetic in the time zone of the request. All timestamps are instants in UTC in the years 0 to 9999, the range of ISO
// 8601; a result outside of it is NULL.
import { sql, type Sql } from '../../duckdb/sql.js';
import { timeUnits, type TimeUnit } from '../syntax/ast.js';
import { bindOnce, isAtomic, isConstant } from './share.js';
import { scalarValue, type Value } from './value.js';

/** Minutes west of UTC, as 480 for US Pacific standard time, or the name of a zone of the IANA database, as `America/Los_Angeles`. */
export type TimeZone = number | string;

/** The parameters of the request that affect the result of a query. */
export interface QueryContext {
  readonly timeZone: TimeZone;
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

/** The local time of an instant. */
const localTime = (instant: Sql, zone: TimeZone): Sql =>
  typeof zone === 'string'
    ? sql`timezone(${zone}, timezone('UTC', ${instant}))`
    : sql`(${instant} - to_minutes(${BigInt(zone)}))`;

/** The instant of a local time. Of one that a change of the clocks skips, the first instant after it; of one that occurs twice, the second. */
const instantOf = (local: Sql, zone: TimeZone): Sql =>
  typeof zone === 'string'
    ? sql`timezone('UTC', timezone(${zone}, ${local}))`
    : sql`(${local} + to_minutes(${BigInt(zone)}))`;

/** The instant of the local midnight that a date without a time names. */
export const midnightOf = (date: Sql, zone: TimeZone): Sql =>
  typeof zone === 'number'
    ? shiftedTimestamp(date, sql`+`, sql`to_minutes(${BigInt(zone)})`)
    : bindOnce(
        sql`TRY(${instantOf(date, zone)})`,
        (x) => sql`CASE WHEN ${inYears(x)} THEN ${x} END`,
      );

const daysAndLonger: ReadonlySet<TimeUnit> = new Set(['day', 'week', 'month', 'quarter', 'year']);

function startOf(unit: TimeUnit, instant: Sql, zone: TimeZone): Sql {
  if (zone === 0) return truncated(unit, instant);
  const local = localTime(instant, zone);
  if (typeof zone === 'number' || daysAndLonger.has(unit))
    return instantOf(truncated(unit, local), zone);
  // An hour that occurs twice is two hours.
  return bindOnce(local, (x) => sql`(${instant} - (${x} - ${truncated(unit, x)}))`);
}

/** The start of the local second, day, … of a timestamp. Weeks begin on Monday. */
export function bucket(
  unit: TimeUnit,
  timestamp: Sql,
  { timeZone }: Pick<QueryContext, 'timeZone'>,
): Value {
  const isInYears = timeZone === 0 && unit !== 'week';
  if (isInYears) return scalarValue('timestamp', truncated(unit, timestamp));
  // The start is at most a year before the timestamp.
  const checked = bindOnce(timestamp, (x) => {
    const start = startOf(unit, x, timeZone);
    return sql`CASE WHEN ${x} >= ${secondYear} OR ${start} >= ${firstInstant} THEN ${start} END`;
  });
  return scalarValue('timestamp', checked);
}

const truncated = (unit: TimeUnit, timestamp: Sql): Sql => sql`date_trunc(${unit}, ${timestamp})`;

export const constantTimestamp = (micros: bigint): Value =>
  scalarValue('timestamp', sql`make_timestamp(${micros})`);
