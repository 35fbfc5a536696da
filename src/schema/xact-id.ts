// Transaction ids: 0x0DE1, the second of the write and a counter of 16 bits, as one 64-bit number; and
// their two spellings, 19 decimal digits and the short form of 16 hexadecimal digits shown to people.

const prefix = 0x0de1n;
const shortMultiplier = 205891132094649n;
const shortInverse = 1522336535492693385n;
const largest = 2n ** 63n - 1n;

/** The id of the next write: of this second, or the one after `last` where that is not later. */
export function nextXactId(last: bigint, nowSeconds: number): bigint {
  const first = (prefix << 48n) | (BigInt(Math.floor(nowSeconds)) << 16n);
  return first > last ? first : last + 1n;
}

/** 19 decimal digits. */
export const formatXactId = (xactId: bigint): string => xactId.toString();

/** 16 lower-case hexadecimal digits. */
export const shortXactId = (xactId: bigint): string =>
  BigInt.asUintN(64, xactId * shortMultiplier)
    .toString(16)
    .padStart(16, '0');

/**
 * Reads either spelling; null for anything else. A decimal number beyond 64 bits is the largest id, which
 * like any id in the future means now.
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
