// Compacts numbers of JSON text: spells them as JavaScript prints them.
import { doubleHolds } from '../tree.js';
import { dropBytes, type Text } from './text.js';

const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const letterE = 0x65;

/** Every number with this many digits is a double that JavaScript prints with the same digits. */
const exactDigits = 15;

/** Longer spellings need the parser. */
const lengthMax = 40;

/** JavaScript prints smaller numbers with an exponent. */
const leadingZerosMax = 5;

export function compactNumber(text: Text, start: number): number {
  const { bytes } = text;
  const isNegative = bytes[start] === minus;
  const whole = isNegative ? start + 1 : start;
  const wholeEnd = endOfDigits(bytes, whole);
  if (wholeEnd === whole || (bytes[whole] === zero && wholeEnd > whole + 1)) return ~wholeEnd;
  const fraction = wholeEnd + 1;
  const hasFraction = bytes[wholeEnd] === point;
  const end = hasFraction ? endOfDigits(bytes, fraction) : wholeEnd;
  if (hasFraction && end === fraction) return ~end;
  if ((bytes[end]! | 0x20) === letterE || end - whole > exactDigits)
    return compactLong(text, start, end);
  const last = hasFraction ? endOfFraction(bytes, fraction, end) : end;
  const isBelowOne = bytes[whole] === zero;
  if (isBelowOne && (last < fraction ? isNegative : startsWithZeros(bytes, fraction)))
    return compactLong(text, start, end);
  if (last < end) dropBytes(text, last, end);
  return end;
}

/** Drops trailing zeros of the fraction, and the point if nothing remains. */
function endOfFraction(bytes: Buffer, fraction: number, end: number): number {
  let last = end;
  while (bytes[last - 1] === zero) last -= 1;
  return last === fraction ? fraction - 1 : last;
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= zero && bytes[at]! <= nine) at += 1;
  return at;
}

function startsWithZeros(bytes: Buffer, start: number): boolean {
  let at = start;
  while (bytes[at] === zero) at += 1;
  return at - start > leadingZerosMax;
}

/** Compacts a number with an exponent after `mantissaEnd`, or one that has to be compared with its double. */
function compactLong(text: Text, start: number, mantissaEnd: number): number {
  const { bytes } = text;
  const end = endOfExponent(bytes, mantissaEnd);
  if (end < 0) return end;
  if (end - start > lengthMax) return ~end;
  const spelled = bytes.toString('latin1', start, end);
  const double = Number(spelled);
  const printed = JSON.stringify(double);
  if (printed === spelled) return end;
  if (printed.length > spelled.length || !doubleHolds(spelled)) return ~end;
  dropBytes(text, start, end);
  text.write += bytes.write(printed, text.write, 'latin1');
  return end;
}

function endOfExponent(bytes: Buffer, start: number): number {
  if ((bytes[start]! | 0x20) !== letterE) return start;
  const sign = bytes[start + 1];
  const digits = sign === 0x2b || sign === minus ? start + 2 : start + 1;
  const end = endOfDigits(bytes, digits);
  return end === digits ? ~end : end;
}
