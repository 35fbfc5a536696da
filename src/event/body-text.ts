// The JSON of a body, or of what follows the list in it.
import type { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { positionOf } from '../json/list-slices.js';
import { parseJson } from '../json/parse.js';
import { TooLongToParse, scanElement, type ElementLimits } from '../json/scan.js';
import { jsonBodyBytesMax, jsonLimits } from '../schema/limits.js';

/** Limits on the texts of a body. */
export interface TextLimits {
  /** The largest text of one event. */
  readonly textBytesMax: number;
  /** The largest text to parse; for a longer one, `TooLongToParse` is thrown. By default there is no limit. */
  readonly parsedBytesMax?: number;
}

/** The part of a body that has a list of events: all of it, or a value in it. */
export interface BodyPart {
  /** The index of its first byte. It ends where the body ends. */
  readonly start: number;
  /** The names of the part and of the list in errors. */
  readonly name: string;
  readonly list: string;
}

/** The limits on an event of the body. */
export const elementLimitsOf = ({
  textBytesMax,
  parsedBytesMax = Infinity,
}: TextLimits): Omit<ElementLimits, 'name'> => ({
  values: jsonLimits.values,
  digits: jsonLimits.digits,
  bytes: { max: textBytesMax },
  parsedBytesMax,
});

/** The name of the body in errors. */
export const where = 'request body';

export const wholeBody: BodyPart = { start: 0, name: where, list: 'events' };

/** @throws TooLongToParse */
export function refuseLong(bytes: number, { parsedBytesMax = Infinity }: TextLimits): void {
  if (bytes > parsedBytesMax) throw new TooLongToParse();
}

/**
 * @param tooLong the error for a text that is parsed only if it is short
 * @param lead the text that replaces the bytes before `start`
 * @throws RequestError 400 for invalid JSON, or for too many values
 * @throws TooLongToParse
 */
export function parseBody(
  body: Buffer,
  textLimits: TextLimits,
  tooLong: () => RequestError,
  start = 0,
  lead = '',
): JsonValue {
  if (body.length - start > jsonBodyBytesMax) throw tooLong();
  refuseLong(body.length - start, textLimits);
  const text = Buffer.concat([Buffer.from(lead), body.subarray(start)]);
  scanElement(text, 0, { ...jsonLimits, name: () => where });
  const position = () => positionOf(body, start, lead.length);
  return parseJson(text.toString(), where, { levels: 0, position });
}
