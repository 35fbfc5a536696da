// ISO 8601 date-times as clients send them -> microseconds since 1970 in UTC.

const dateTime =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)?)?$/;

/** Without a zone it is UTC; digits below the microsecond are cut. Null when it is no date-time. */
export function parseCreated(text: string): bigint | null {
  const match = dateTime.exec(text);
  if (match === null) return null;
  const [, date = '', time = '00:00', fraction = '', hours, minutes = '00'] = match;
  const local = Date.parse(`${date}T${time}Z`);
  const utc = hours === undefined ? local : Date.parse(`${date}T${time}${hours}:${minutes}`);
  if (Number.isNaN(utc) || !isOnDay(local, date)) return null;
  return BigInt(utc) * 1000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Date.parse moves 30 February and 24:00 to a later day. */
const isOnDay = (milliseconds: number, date: string): boolean =>
  new Date(milliseconds).getUTCDate() === Number(date.slice(-2));
