// Strict JSON text -> value with exact numbers and keys in order: the way in for everything clients send.
import { longNumbersSurvive, readsExactly } from './exactness.js';
import type { JsonValue } from './json.js';
import { parseOrdered } from './ordered.js';
import { shapeOfParsed } from './parsed-shape.js';
import { replaceUnpairedSurrogates } from './surrogates.js';
import {
  maxLevels,
  nestedTooDeep,
  refuseInvalidJson,
  wholeText,
  type TextOrigin,
} from './syntax-error.js';
import { isLossless } from './tree.js';

export interface JsonDocument {
  readonly value: JsonValue;
  /** The value holds no `Map` and no `LosslessNumber`: JSON.stringify prints all of its parts exactly. */
  readonly plain: boolean;
}

/**
 * JSON.parse decides what is valid. Of duplicate keys the last wins, unpaired surrogates become U+FFFD.
 * Text that is invalid or nested more than 1,000 levels deep is a 400 that calls it `where`.
 */
export const parseJson = (text: string, where = 'request body', origin = wholeText): JsonValue =>
  parseJsonDocument(text, where, origin).value;

/** As `parseJson`, and says whether the value needed the exact form. `origin` says what `text` was cut from. */
export function parseJsonDocument(
  text: string,
  where = 'request body',
  origin = wholeText,
): JsonDocument {
  const wellFormed = replaceUnpairedSurrogates(text);
  const value = parsePlain(wellFormed, where, origin);
  const { isTooDeep, hasIndexKeys } = shapeOfParsed(value, maxLevels - origin.levels);
  if (isTooDeep) throw nestedTooDeep(where);
  return !hasIndexKeys && longNumbersSurvive(wellFormed)
    ? { value, plain: true }
    : { value: parseOrdered(wellFormed), plain: false };
}

/** `isLossless` of the value that valid JSON text holds. */
export const isLosslessText = (text: string): boolean =>
  !readsExactly(text) && isLossless(parseOrdered(text));

function parsePlain(text: string, where: string, origin: TextOrigin): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return refuseInvalidJson(text, where, origin);
  }
}
