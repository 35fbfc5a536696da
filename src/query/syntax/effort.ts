// Tells short queries from those that take long to parse, before they are parsed.
import type { JsonValue } from '../../json/json.js';
import { isJsonObject, membersOf } from '../../json/tree.js';

/** The number of words, signs and JSON values of a short query, which is parsed in about 5 ms. */
const partsMax = 500;

/** A longer text is not counted. */
const charactersMax = 20_000;

const part = /[\p{L}\p{N}_$]+|\S/gu;

/** The number of words and signs; Infinity for a text of more than `charactersMax` characters. */
const partsOfText = (text: string): number =>
  text.length > charactersMax ? Infinity : (text.match(part)?.length ?? 0);

/** Strings count as texts, since they may be expressions. */
function partsOf(value: JsonValue, max: number): number {
  if (typeof value === 'string') return partsOfText(value);
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  const inner = isJsonObject(value)
    ? Array.from(membersOf(value), ([, member]) => member)
    : Array.isArray(value)
      ? (value as readonly JsonValue[])
      : [];
  for (const each of inner) {
    if (parts > max) break;
    parts += partsOf(each, max - parts);
  }
  return parts;
}

/** Whether the query may be parsed in a turn of the event loop. */
export const isShort = (query: JsonValue): boolean =>
  (typeof query === 'string' && query.length <= partsMax) || partsOf(query, partsMax) <= partsMax;
