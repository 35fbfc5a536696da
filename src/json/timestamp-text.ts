// Microseconds since 1970 -> ISO 8601 in UTC, as the engine spells it in `query/value/timestamp-text`.

/** After so many microseconds, 400 years, the calendar repeats. */
const cycle = 146_097n * 86_400_000_000n;

/** The greatest BIGINT, and its negative. */
const infinity = 2n ** 63n - 1n;

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** With as many digits of a second as there are: none, three or six. */
export function timestampText(micros: bigint): string {
  if (micros === infinity) return 'infinity';
  if (micros === -infinity) return '-infinity';
  const within = ((micros % cycle) + cycle) % cycle;
  const years = 400 * Number((micros - within) / cycle);
  const moment = new Date(Number(within / 1000n));
  const year = moment.getUTCFullYear() + years;
  // `-MM-DDThh:mm:ss.mmmZ` follows the year of four digits.
  const [seconds = '', thousandths = ''] = moment.toISOString().slice(4, -1).split('.');
  const rest = Number(within % 1000n);
  const fraction = rest === 0 ? thousandths : `${thousandths}${padded(rest, 3)}`;
  const point = fraction === '000' ? '' : `.${fraction}`;
  return `${year < 0 ? year : padded(year, 4)}${seconds}${point}Z`;
}
