// Calendar arithmetic in the time zone of the request. All timestamps are instants in UTC.
import { sql, type Sql } from '../../duckdb/sql.js';
import { timeUnits, type TimeUnit } from '../syntax/ast.js';
import { isAtomic } from './share.js';
import { scalarValue, type Value } from './value.js';

/** What the request says beside the query. */
export interface QueryContext {
  /** Minutes west of UTC: 480 is US Pacific standard time. */
  readonly tzOffsetMinutes: number;
  /** Microseconds since 1970. */
  readonly nowMicros: bigint;
}

export const isTimeUnit = (name: string): name is TimeUnit =>
  timeUnits.some((unit) => unit === name);

/** The instant at which the local second, day, … of a timestamp began; weeks begin on Monday. */
export function bucket(
  unit: TimeUnit,
  timestamp: Sql,
  { tzOffsetMinutes }: Pick<QueryContext, 'tzOffsetMinutes'>,
): Value {
  if (tzOffsetMinutes === 0) return scalarValue('timestamp', truncated(unit, timestamp));
  const offset = sql`to_minutes(${BigInt(tzOffsetMinutes)})`;
  const local = sql`(${timestamp} - ${offset})`;
  const start = sql`(${truncated(unit, local)} + ${offset})`;
  // A calculated timestamp may be the last that there is.
  return scalarValue('timestamp', isAtomic(timestamp) ? start : sql`TRY(${start})`);
}

const truncated = (unit: TimeUnit, timestamp: Sql): Sql => sql`date_trunc(${unit}, ${timestamp})`;

const microsPerMinute = 60_000_000n;
const microsPerDay = 86_400_000_000n;

/** Microseconds of the last local midnight. */
export function localMidnight(micros: bigint, tzOffsetMinutes: number): bigint {
  const offset = BigInt(tzOffsetMinutes) * microsPerMinute;
  const sinceMidnight = (((micros - offset) % microsPerDay) + microsPerDay) % microsPerDay;
  return micros - sinceMidnight;
}

export const constantTimestamp = (micros: bigint): Value =>
  scalarValue('timestamp', sql`make_timestamp(${micros})`);
