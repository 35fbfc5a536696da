// Conversions of values of other tools to those of events.
import type { JsonObject, JsonValue } from '../../../json/json.js';
import { parseJson } from '../../../json/parse.js';
import { stringifyJson } from '../../../json/stringify.js';
import { doubleOf, isJsonObject, membersOf, memberOf } from '../../../json/tree.js';

/** Undefined for a value that has no meaning in the field. `span` is the record that the value is from. */
export type Conversion = (value: JsonValue, span?: JsonObject) => JsonValue | undefined;

/** A text as it is, the JSON of another value. */
export const textOf = (value: JsonValue): string =>
  typeof value === 'string' ? value : stringifyJson(value);

const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** Seconds since 1970 of a time in ISO 8601, which is in UTC if it names no zone. */
export const seconds: Conversion = (value) => {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(' ', 'T');
  const milliseconds = Date.parse(hasZone.test(text) ? text : `${text}Z`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
};

/** A time as ISO 8601 in UTC. */
export const time: Conversion = (value) => {
  const since = seconds(value);
  return typeof since === 'number' ? new Date(since * 1000).toISOString() : undefined;
};

const scaled =
  (perSecond: number): Conversion =>
  (value) => {
    const number = typeof value === 'string' ? Number(value) : doubleOf(value);
    return number === null || Number.isNaN(number) ? undefined : number / perSecond;
  };

export const fromMilliseconds = scaled(1000);
export const fromNanoseconds = scaled(1e9);

/** A number, also from its text. */
export const number = scaled(1);

/** The object, list or text that a text is the JSON of; another text as it is, also a number. */
export const parsed: Conversion = (value) => {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
};

/** A number of an object, also of its JSON. */
export const numberIn =
  (name: string): Conversion =>
  (value) => {
    const found = parsed(value)!;
    return isJsonObject(found) ? number(memberOf(found, name) ?? null) : undefined;
  };

/** A list of one text. */
export const list: Conversion = (value) => [textOf(value)];

/** A list of texts, also from its JSON. */
export const texts: Conversion = (value) => {
  const found = parsed(value)!;
  return Array.isArray(found) ? (found as readonly JsonValue[]).map(textOf) : undefined;
};

/** The type of a span by the word of the other tool, in lower case. */
export const oneOf =
  (types: Readonly<Record<string, string>>): Conversion =>
  (value) =>
    types[textOf(value).toLowerCase()];

const scoreOf = (value: JsonValue): JsonValue | undefined =>
  typeof value === 'boolean' || doubleOf(value) !== null ? value : undefined;

function scoresOf(entries: Iterable<readonly [string, JsonValue | undefined]>) {
  const scores = new Map<string, JsonValue>();
  for (const [name, value] of entries) {
    const score = value === undefined ? undefined : scoreOf(value);
    if (score !== undefined) scores.set(name, score);
  }
  return scores.size === 0 ? undefined : scores;
}

/** Scores of an object whose members are objects with the score under this name; `words` are scores that are words. */
export const numbersAt =
  (name: string, words: Readonly<Record<string, number>> = {}): Conversion =>
  (value) =>
    isJsonObject(value)
      ? scoresOf(
          Array.from(membersOf(value), ([key, inner]) => {
            const score = isJsonObject(inner) ? memberOf(inner, name) : undefined;
            return [key, typeof score === 'string' ? words[score] : score];
          }),
        )
      : undefined;

/** Scores of a list of objects with a name and a value. */
export const namedNumbers: Conversion = (value) =>
  Array.isArray(value)
    ? scoresOf(
        (value as readonly JsonValue[])
          .filter(isJsonObject)
          .map((score: JsonObject) => [
            textOf(memberOf(score, 'name') ?? ''),
            memberOf(score, 'value'),
          ]),
      )
    : undefined;

/** Scores of the members of the record that a list names. */
export const numbersNamed: Conversion = (names, span = {}) =>
  Array.isArray(names)
    ? scoresOf(
        (names as readonly JsonValue[]).map((name) => [textOf(name), memberOf(span, textOf(name))]),
      )
    : undefined;
