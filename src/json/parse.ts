// Parses strict JSON text of clients to a value with exact numbers and ordered keys.
import { longNumbersSurvive } from './exactness.js';
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

export interface JsonDocument {
  readonly value: JsonValue;
  /** Whether the value contains no `Map` and no `LosslessNumber`, so that JSON.stringify prints it exactly. */
  readonly plain: boolean;
}

/**
 * Accepts what JSON.parse accepts. The last of duplicate keys wins; unpaired surrogates become U+FFFD.
 * @throws RequestError 400 that names `where`, for text that is invalid or nested more than 1,000 levels deep
 */
export const parseJson = (text: string, where = 'request body', origin = wholeText): JsonValue =>
  parseJsonDocument(text, where, origin).value;

/** Like `parseJson`, and reports whether the value needs the exact form. `origin` is the position of `text` in its document. */
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

function parsePlain(text: string, where: string, origin: TextOrigin): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return refuseInvalidJson(text, where, origin);
  }
}
