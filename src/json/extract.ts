// JSON text and a path -> the exact text of the part that the path leads to.
import type { JsonValue } from './json.js';
import { parseJson } from './parse.js';
import { stringifyJson } from './stringify.js';
import { isJsonObject, memberOf } from './tree.js';

/** Key of an object, or index into an array, negative from its end. */
export type JsonStep = string | number;

/** Null when there is no such part, and when it is JSON null. */
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
