// Decides from JSON text whether JSON.parse followed by JSON.stringify keeps the value of every number and the key order of
// every object. The answer may be a false no, never a false yes.
import { isNumber } from 'lossless-json';
import { doubleHolds } from './tree.js';

// A number of up to 15 digits and a two-digit exponent is always exact, so the pattern matches only longer ones. The characters
// around it exclude digits in most strings. Repetitions are bounded, since the matcher fails (RangeError) on millions of digits.
const longNumberStart = /(?:^|[[,:\s])-?(?:\d[\d.]{15}|[\d.]{1,15}[eE][+-]?\d{3})/g;
const startsNumber = /[-\d.]/;
const behindNumber = /[^\d.eE+-]/g;
const mayFollow = /[\s,\]}]/;

/** The maximum length to compare directly. A longer number is exact only if it is mostly zeros, which is checked digit by digit. */
const comparedLength = 10_000;

// JavaScript moves keys that are array indexes to the front. The first pattern is faster.
const keyEndsInDigit = /\d"\s*:/;
const integerKey = /"(?:\d|\\u003\d){1,10}"\s*:/;

/** Whether the text may have a key that JavaScript moves to the front. */
export const hasIntegerKey = (text: string): boolean =>
  keyEndsInDigit.test(text) && integerKey.test(text);

/** Whether doubles hold all numbers of the text. */
export function longNumbersSurvive(text: string): boolean {
  for (const { index, 0: begin } of text.matchAll(longNumberStart)) {
    const start = startsNumber.test(begin[0] ?? '') ? index : index + 1;
    const end = endOfNumber(text, start);
    if (end < text.length && !mayFollow.test(text[end] ?? '')) continue;
    const found = text.slice(start, end);
    // Digits inside a string can be anything.
    if (found.length > comparedLength || (isNumber(found) && !doubleHolds(found))) return false;
  }
  return true;
}

function endOfNumber(text: string, start: number): number {
  behindNumber.lastIndex = start;
  return behindNumber.exec(text)?.index ?? text.length;
}
