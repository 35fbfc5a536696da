// Reads nodes of a JSON query with their JSON paths, and reports nodes of the wrong type.
import { QueryError, abbreviated, type JsonPosition } from '../../../errors.js';
import type { JsonObject, JsonValue } from '../../../json/json.js';
import { doubleOf, isJsonObject, keysOf, memberOf } from '../../../json/tree.js';
import { didYouMean } from '../suggest.js';

/** A value and its JSON path, for example `query.filter.children[2]`. */
export interface JsonPart {
  readonly value: JsonValue;
  readonly path: string;
}

export const placeOf = ({ path }: JsonPart): JsonPosition => ({ path });

export function fail(part: JsonPart, reason: string): never {
  throw new QueryError(placeOf(part), reason);
}

/** Null counts as absent. */
export function memberAt(part: JsonPart, name: string): JsonPart | null {
  const value = memberOf(part.value as JsonObject, name);
  return value === undefined || value === null ? null : { value, path: `${part.path}.${name}` };
}

export function requiredAt(part: JsonPart, name: string, what: string): JsonPart {
  return memberAt(part, name) ?? fail(part, `expected "${name}", ${what}`);
}

/** `loc` is the position of the node in the client's query text. */
const everywhere = new Set(['loc']);

/** Checks that the part is an object with no other members than these. */
export function checkMembers(part: JsonPart, allowed: readonly string[], what: string): void {
  if (!isJsonObject(part.value)) fail(part, `expected ${what}, got ${describeJson(part.value)}`);
  for (const name of keysOf(part.value)) {
    if (allowed.includes(name) || everywhere.has(name)) continue;
    if (memberOf(part.value, name) === null) continue;
    fail(part, `unknown member ${shortText(name)}${didYouMean(name, allowed)}`);
  }
}

export function elementsOf(part: JsonPart, what: string): readonly JsonPart[] {
  const { value, path } = part;
  if (!Array.isArray(value)) fail(part, `expected ${what}, got ${describeJson(value)}`);
  return (value as readonly JsonValue[]).map((element, index) => ({
    value: element,
    path: `${path}[${index}]`,
  }));
}

export function stringOf(part: JsonPart, what: string): string {
  const { value } = part;
  return typeof value === 'string'
    ? value
    : fail(part, `expected ${what}, got ${describeJson(value)}`);
}

/** Reads one of `choices`. */
export function choiceOf<T extends string>(part: JsonPart, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === part.value);
  const known = choices.map((choice) => `"${choice}"`).join(', ');
  return found ?? fail(part, `expected one of ${known}, got ${describeJson(part.value)}`);
}

export function integerOf(part: JsonPart, minimum: number): number {
  const value = doubleOf(part.value);
  return value !== null && Number.isSafeInteger(value) && value >= minimum
    ? value
    : fail(part, `expected an integer of at least ${minimum}, got ${describeJson(part.value)}`);
}

const shortText = (text: string): string => JSON.stringify(abbreviated(text, 40));

/** Describes a value in a message. */
export function describeJson(value: JsonValue): string {
  if (typeof value === 'string') return shortText(value);
  if (Array.isArray(value)) return 'an array';
  return isJsonObject(value) ? 'an object' : JSON.stringify(doubleOf(value) ?? value);
}
