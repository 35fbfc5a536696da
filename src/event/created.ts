// ISO 8601 date-times as clients send them -> microseconds since 1970 in UTC.

const dateTime =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)?)?$/;

const firstMillisecond = Date.parse('0000-01-01T00:00:00Z');
const lastMillisecond = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Without a zone it is UTC; digits below the microsecond are cut. Null when it is no date-time, or not in the
 * years 0 to 9999 in UTC, which is all that ISO 8601 can write with four digits.
 */
export function parseCreated(text: string): bigint | null {
  const match = dateTime.exec(text);
  if (match === null) return null;
  const [, date = '', time = '00:00', fraction = '', hours, minutes = '00'] = match;
  const local = Date.parse(`${date}T${time}Z`);
  const utc = hours === undefined ? local : Date.parse(`${date}T${time}${hours}:${minutes}`);
  if (Number.isNaN(utc) || !isOnDay(local, date)) return null;
  if (utc < firstMillisecond || utc > lastMillisecond) return null;
  return BigInt(utc) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Date.parse moves 30 February and 24:00 to a later day. */
const isOnDay = (milliseconds: number, date: string): boolean =>
  new Date(milliseconds).getUTCDate() === Number(date.slice(-2));
