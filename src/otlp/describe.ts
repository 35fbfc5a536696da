// A value in the words of an error text.
import type { JsonValue } from '../json/json.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject } from '../json/tree.js';

const shownLengthMax = 100;

/** Short enough for one sentence. */
export function describeJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (isJsonObject(value)) return 'an object';
  const text = stringifyJson(value);
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}
