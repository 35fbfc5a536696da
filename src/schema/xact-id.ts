// Transaction ids: 64-bit numbers of 0x0DE1, the second of the write, and a 16-bit counter. They have two spellings: 19 decimal
// digits, and a short form of 16 hexadecimal digits for display.

/** The spellings that a parameter takes, for its description. */
export const xactIdSpellings = 'in decimal or as 16 hexadecimal digits';

const prefix = 0x0de1n;
const shortInverse = 1522336535492693385n;
const largest = 2n ** 63n - 1n;

/** The id of the next write: the first one of this second, or the one after `last` if that is larger. */
export function nextXactId(last: bigint, nowSeconds: number): bigint {
  const first = (prefix << 48n) | (BigInt(Math.floor(nowSeconds)) << 16n);
  return first > last ? first : last + 1n;
}

/** The second of the write, in milliseconds since 1970. */
export const xactMs = (xactId: bigint): number => Number((xactId >> 16n) & 0xffff_ffffn) * 1000;

export const minBigint = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const maxBigint = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** 19 decimal digits. */
export const formatXactId = (xactId: bigint): string => xactId.toString();

/**
 * Parses either spelling; returns null for other texts. A decimal number beyond 64 bits becomes the largest id, which,
 * like any id in the future, means the latest version.
 */
export function parseXactId(text: string): bigint | null {
  if (/^[\da-f]{16}$/i.test(text)) return fromShort(BigInt(`0x${text}`));
  if (!/^\d{1,20}$/.test(text)) return null;
  const xactId = BigInt(text);
  return xactId > largest ? largest : xactId;
}

function fromShort(short: bigint): bigint | null {
  const xactId = BigInt.asUintN(64, short * shortInverse);
  return xactId >> 48n === prefix ? xactId : null;
}
