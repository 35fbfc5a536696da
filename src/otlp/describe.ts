// Describes a value for an error message.
import { abbreviated } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject } from '../json/tree.js';

/** The value, abbreviated. */
export function describeJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (isJsonObject(value)) return 'an object';
  return abbreviated(stringifyJson(value));
}
