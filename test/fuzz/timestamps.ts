// Timestamps: the microseconds since 1970 as a text that begins with `t`, beside the texts of `tagged-json`.
import { isString, string, type Tagged } from './model/tagged-json.js';
import type { BucketUnit, IntervalUnit } from './expression.js';

export const timestamp = (micros: bigint): string => `t${micros}`;

export const timestampOrNull = (micros: bigint | null): string | null =>
  micros === null ? null : timestamp(micros);

/** Whether the value is a timestamp itself; a string that spells one is not. */
export const isTimestamp = (value: Tagged): boolean =>
  typeof value === 'string' && value.startsWith('t');

const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?)?)?$/;

const firstInstant = BigInt(Date.parse('0000-01-01T00:00:00Z')) * 1000n;
const lastInstant = BigInt(Date.parse('9999-12-31T23:59:59.999Z')) * 1000n + 999n;

/** The instant of an ISO 8601 text in the years 0 to 9999, in UTC unless it names another zone; null for other texts. */
export function readIso(text: string): bigint | null {
  const match = form.exec(text);
  if (match === null) return null;
  const [year = 0, month = 1, day = 1] = match.slice(1, 4).map((part) => Number(part ?? 1));
  const [hour = 0, minute = 0, second = 0] = match.slice(4, 7).map((part) => Number(part ?? 0));
  const millis = utc(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
  const date = new Date(utc(year, month - 1, day));
  const isReal = date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
  if (!isReal || hour > 23 || minute > 59 || second > 59) return null;
  const micros = BigInt((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  const instant = BigInt(millis) * 1000n + micros - offsetMicros(match[8] ?? 'Z');
  return inYears(instant);
}

/** Null outside the years 0 to 9999. */
export const inYears = (micros: bigint): bigint | null =>
  micros < firstInstant || micros > lastInstant ? null : micros;

/** Milliseconds since 1970; `Date.UTC` takes the years 0 to 99 for those of the twentieth century. */
const utc = (year: number, month: number, day = 1): number =>
  new Date(0).setUTCFullYear(year, month, day);

function offsetMicros(zone: string): bigint {
  if (zone === 'Z') return 0n;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return BigInt(zone.startsWith('-') ? -minutes : minutes) * 60_000_000n;
}

/** The instant of a timestamp, or of a string that spells one. */
export function instantOf(value: Tagged): bigint | null {
  if (typeof value !== 'string') return null;
  if (isTimestamp(value)) return BigInt(value.slice(1));
  return isString(value) ? readIso(value.slice(1)) : null;
}

const floorDivide = (value: bigint, by: bigint): bigint => (value - modulo(value, by)) / by;
const modulo = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;

/** In UTC, with as many digits of a second as there are. */
export function isoText(micros: bigint): string {
  const date = new Date(Number(floorDivide(micros, 1000n)));
  const rest = modulo(micros, 1_000_000n);
  const digits = String(rest).padStart(6, '0');
  const fraction = rest === 0n ? '' : `.${digits.endsWith('000') ? digits.slice(0, 3) : digits}`;
  return `${date.toISOString().slice(0, 19)}${fraction}Z`;
}

/** The JSON value that a timestamp is printed as; other values as they are. */
export const asJson = (value: Tagged): Tagged =>
  typeof value === 'string' && isTimestamp(value) ? string(isoText(BigInt(value.slice(1)))) : value;

const minute = 60_000_000n;

/** Minutes west of UTC, or the name of a time zone. */
export type Zone = number | string;

/** The microseconds by which local time is ahead at an instant. */
function ahead(zone: Zone, micros: bigint): bigint {
  if (typeof zone === 'number') return BigInt(-zone) * minute;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const parts = format.formatToParts(Number(floorDivide(micros, 1000n)));
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes, seconds = '0'] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? ([null, '+', '0', '0'] as const);
  const length = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return BigInt(sign === '-' ? -length : length) * 1_000_000n;
}

/** The later of the instants with this local time; where the clocks skip it, the one that the offset before the change gives. */
export function instantAt(zone: Zone, local: bigint): bigint {
  const [before, after] = [-1n, 1n].map((side) => ahead(zone, local + side * fixedMicros.day));
  const instants = [local - before!, local - after!];
  const real = instants.filter((instant) => instant + ahead(zone, instant) === local);
  return real.length === 0 ? instants[0]! : real.reduce((a, b) => (a > b ? a : b));
}

/** When the local unit began that holds the instant. Null when that was before the year 0. */
export function bucketStart(unit: BucketUnit, micros: bigint, zone: Zone): bigint | null {
  const local = micros + ahead(zone, micros);
  const start = truncated(unit, local);
  const isLong = ['day', 'week', 'month', 'year'].includes(unit);
  return inYears(isLong ? instantAt(zone, start) : micros - (local - start));
}

function truncated(unit: BucketUnit, micros: bigint): bigint {
  const date = new Date(Number(floorDivide(micros, 1000n)));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const daysSinceMonday = (date.getUTCDay() + 6) % 7;
  switch (unit) {
    case 'year':
      return BigInt(utc(year, 0)) * 1000n;
    case 'month':
      return BigInt(utc(year, month)) * 1000n;
    case 'week':
      return BigInt(utc(year, month, day - daysSinceMonday)) * 1000n;
    default:
      return micros - modulo(micros, fixedMicros[unit]);
  }
}

const fixedMicros = {
  microsecond: 1n,
  millisecond: 1000n,
  second: 1_000_000n,
  minute,
  hour: 60n * minute,
  day: 1440n * minute,
  week: 10_080n * minute,
};

/** Months keep the day where there is one, else take the month's last. Null outside the years 0 to 9999. */
export const shifted = (micros: bigint, amount: number, unit: IntervalUnit): bigint | null =>
  inYears(
    unit === 'month' || unit === 'year'
      ? monthsLater(micros, unit === 'year' ? 12 * amount : amount)
      : micros + BigInt(amount) * fixedMicros[unit],
  );

function monthsLater(micros: bigint, months: number): bigint {
  const date = new Date(Number(floorDivide(micros, 1000n)));
  const month = date.getUTCMonth() + months;
  const lastDay = new Date(utc(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), lastDay);
  const start = BigInt(utc(date.getUTCFullYear(), month, day)) * 1000n;
  return start + modulo(micros, fixedMicros.day);
}
