// The JSON of a body, or of what follows the list in it.
import type { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { positionOf } from '../json/list-slices.js';
import { parseJson } from '../json/parse.js';
import { scanElement } from '../json/scan.js';
import { jsonBodyBytesMax, limits } from '../schema/limits.js';

/** The name of the body in errors. */
export const where = 'request body';

/**
 * @param tooLong the error for a text that is parsed only if it is short
 * @param lead the text that replaces the bytes before `start`
 * @throws RequestError 400 for invalid JSON, or for too many values
 */
export function parseBody(
  body: Buffer,
  tooLong: () => RequestError,
  start = 0,
  lead = '',
): JsonValue {
  if (body.length - start > jsonBodyBytesMax) throw tooLong();
  const text = Buffer.concat([Buffer.from(lead), body.subarray(start)]);
  scanElement(text, 0, { ...limits, name: () => where });
  const position = () => positionOf(body, start, lead.length);
  return parseJson(text.toString(), where, { levels: 0, position });
}
