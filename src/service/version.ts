// The versions that clients name: a transaction id in either spelling.
import { badRequest } from '../errors.js';
import { parseXactId } from '../schema/xact-id.js';

/** Null stays null: the latest. Errors: 400 when the text is neither spelling. */
export function readVersion(text: string | null | undefined, field: string): bigint | null {
  if (text === null || text === undefined) return null;
  const version = parseXactId(text);
  if (version === null)
    throw badRequest(
      `${field}: expected a transaction id of 19 digits or its short form of 16 hex digits, got ${JSON.stringify(text)}`,
    );
  return version;
}

export const versionHeader = 'x-evalstore-version';
