// Prints a value as JSON text without white space, with exact numbers and in its key order.
import { isLosslessNumber } from 'lossless-json';
import type { JsonValue } from './json.js';
import { isJsonObject, isPlain, membersOf } from './tree.js';

export const stringifyJson = (value: JsonValue): string =>
  isPlain(value) ? JSON.stringify(value) : writeExact(value);

function writeExact(value: JsonValue): string {
  if (isLosslessNumber(value)) return value.value;
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(writeExact).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Array.from(
    membersOf(value),
    ([key, part]) => `${JSON.stringify(key)}:${writeExact(part)}`,
  );
  return `{${members.join()}}`;
}
