// Times: constants, additions of a constant interval, and the start of a local day, hour, … in a zone of minutes of offset.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Interval, IntervalUnit, TimeUnit } from '../syntax/ast.js';
import { utcTimestamp } from '../value/literal-value.js';
import type { QueryContext } from '../value/time.js';
import { decline } from './statement.js';
import { as, valueOf, type TrinoValue } from './value.js';

/** @param text an instant as `utcTimestamp` spells it */
export const timeLiteral = (text: string): Sql =>
  sql`CAST(${text.replace('T', ' ')} AS timestamp(6))`;

export function nowOf({ nowMicros }: QueryContext): TrinoValue {
  const millis = new Date(Number(nowMicros / 1000n)).toISOString();
  const text = utcTimestamp(millis.replace('Z', `${String(nowMicros % 1000n).padStart(3, '0')}Z`));
  return valueOf('timestamp', timeLiteral(text ?? decline('a time that the calendar lacks')));
}

const firstInstant = timeLiteral('0000-01-01 00:00:00');
const lastInstant = timeLiteral('9999-12-31 23:59:59.999999');

const inYears = (time: Sql): Sql => sql`${time} BETWEEN ${firstInstant} AND ${lastInstant}`;

/** The largest count of each unit: longer intervals leave the calendar, and overflow in Trino. */
const countMax: Partial<Record<IntervalUnit, number>> = {
  millisecond: 4e14,
  second: 4e11,
  minute: 6e9,
  hour: 1e8,
  day: 4e6,
  week: 6e5,
  month: 1.2e5,
  quarter: 4e4,
  year: 1e4,
};

/** The time moved by a constant interval; NULL outside of the calendar. */
export function moved(time: TrinoValue, sign: 1 | -1, { count, unit }: Interval): TrinoValue {
  const most = countMax[unit] ?? decline(`an interval in ${unit}s`);
  if (!Number.isInteger(count) || Math.abs(count) > most)
    return decline('an interval of no whole number, or beyond the calendar');
  const shifted = sql`date_add(${unit}, ${BigInt(sign * count)}, ${as('timestamp', time)})`;
  return valueOf('timestamp', sql`CASE WHEN ${inYears(shifted)} THEN ${shifted} END`);
}

const by = (minutes: number, time: Sql): Sql =>
  minutes === 0 ? time : sql`date_add('minute', ${BigInt(minutes)}, ${time})`;

/** The start of the local second, day, … of a time. Weeks begin on Monday. */
export function bucket(unit: TimeUnit, time: TrinoValue, { timeZone }: QueryContext): TrinoValue {
  if (typeof timeZone === 'string') return decline('a time zone by name');
  const instant = as('timestamp', time);
  const start = by(timeZone, sql`date_trunc(${unit}, ${by(-timeZone, instant)})`);
  const isInYears = timeZone === 0 && unit !== 'week';
  const checked = sql`CASE WHEN ${start} >= ${firstInstant} THEN ${start} END`;
  return valueOf('timestamp', isInYears ? start : checked);
}
