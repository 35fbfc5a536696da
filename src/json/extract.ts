// Extracts the exact text of the value at a path of a JSON text.
import type { JsonValue } from './json.js';
import { parseJson } from './parse.js';
import { stringifyJson } from './stringify.js';
import { isJsonObject, memberOf } from './tree.js';

/** A key of an object, or an index of an array; negative from its end. */
export type JsonStep = string | number;

/** Returns null if there is no such value, or if it is JSON null. */
export function extractJson(text: string, steps: readonly JsonStep[]): string | null {
  let part: JsonValue | undefined = parseJson(text, 'stored JSON');
  for (const step of steps) part = partAt(part, step);
  return part === undefined || part === null ? null : stringifyJson(part);
}

function partAt(value: JsonValue | undefined, step: JsonStep): JsonValue | undefined {
  if (typeof step === 'number') {
    return Array.isArray(value) ? (value as readonly JsonValue[]).at(step) : undefined;
  }
  return isJsonObject(value) ? memberOf(value, step) : undefined;
}
