// Prints microseconds since 1970 as ISO 8601 in UTC, in the spelling of `query/value/timestamp-text`.

/** The period of the calendar, 400 years, in microseconds. */
const cycle = 146_097n * 86_400_000_000n;

/** The greatest BIGINT, and its negative. */
const infinity = 2n ** 63n - 1n;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** Prints none, three or six digits of a fraction, as needed. */
export function timestampText(micros: bigint): string {
  if (micros === infinity) return 'infinity';
  if (micros === -infinity) return '-infinity';
  const within = ((micros % cycle) + cycle) % cycle;
  const years = 400 * Number((micros - within) / cycle);
  const moment = new Date(Number(within / 1000n));
  const year = moment.getUTCFullYear() + years;
  // `-MM-DDThh:mm:ss.mmmZ` follows the four digits of the year.
  const [seconds = '', thousandths = ''] = moment.toISOString().slice(4, -1).split('.');
  const rest = Number(within % 1000n);
  const fraction = rest === 0 ? thousandths : `${thousandths}${padded(rest, 3)}`;
  const point = fraction === '000' ? '' : `.${fraction}`;
  return `${year < 0 ? year : padded(year, 4)}${seconds}${point}Z`;
}
