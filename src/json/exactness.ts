// Decides from JSON text alone whether JSON.parse followed by JSON.stringify keeps every number's value
// and every object's key order. May say no for text that would survive, never yes for text that would not.
import { isNumber } from 'lossless-json';
import { doubleHolds } from './tree.js';

// A number of up to 15 digits and a two-digit exponent always survives, so only longer ones are looked at. What stands
// before and after tells a number from digits inside most strings. Repetitions have an upper bound, since the engine gives
// up (RangeError) on those that go over millions of digits.
const longNumberStart = /(?:^|[[,:\s])-?(?:\d[\d.]{15}|[\d.]{1,15}[eE][+-]?\d{3})/g;
const startsNumber = /[-\d.]/;
const behindNumber = /[^\d.eE+-]/g;
const mayFollow = /[\s,\]}]/;

/** A longer one is no number that a double holds, unless it is mostly zeros: then it is looked at digit by digit. */
const comparedLength = 10_000;

// JavaScript moves keys that are array indexes to the front. The first test is the faster one.
const keyEndsInDigit = /\d"\s*:/;
const integerKey = /"(?:\d|\\u003\d){1,10}"\s*:/;

/** True when JavaScript's own JSON functions read and print the text without loss. */
export function readsExactly(text: string): boolean {
  return !hasIntegerKey(text) && longNumbersSurvive(text);
}

const hasIntegerKey = (text: string): boolean => keyEndsInDigit.test(text) && integerKey.test(text);

/** True when JavaScript's numbers hold those of the text. */
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
