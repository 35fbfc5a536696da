// Decides from JSON text alone whether JSON.parse followed by JSON.stringify keeps every number's value
// and every object's key order. May say no for text that would survive, never yes for text that would not.
import { isNumber } from 'lossless-json';
import { doubleHolds } from './tree.js';

// A number of up to 15 digits and a two-digit exponent always survives, so only longer ones are looked at.
// What stands before and after tells a number from digits inside most strings.
const longNumber =
  /(?:^|[[,:\s])(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,}))(?=[\s,\]}]|$)/g;

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
  for (const [, found = ''] of text.matchAll(longNumber)) {
    // Digits inside a string can be anything.
    if (isNumber(found) && !doubleHolds(found)) return false;
  }
  return true;
}
