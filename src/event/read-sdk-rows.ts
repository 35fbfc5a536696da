// Reads the rows of an SDK body in steps. An invalid row does not affect the others.
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import type { ListSlice } from '../json/list-slices.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import type { IncomingEvent } from './incoming.js';
import type { TextLimits } from './body-text.js';
import { readSdkRow, type SdkRow } from './sdk-row.js';
import { rowSlices } from './rows-body.js';
import { rowScanner } from './scan-row.js';

interface RefusedRow {
  /** The id that the client sent. */
  readonly id: string | null;
  readonly message: string;
}

/** A row, or why it is refused. */
export type ReadRow = { readonly index: number } & (RefusedRow | { readonly row: SdkRow });

/**
 * Yields the rows of a slice in each step. The caller must not store any before the last step, which detects invalid JSON.
 * @throws RequestError 400 for a body that is not JSON, or has no rows or too many
 * @throws TooLongToParse
 */
export function* readRowsInSteps(
  body: Buffer,
  userId: string,
  textLimits: TextLimits,
): Generator<readonly ReadRow[], void> {
  for (const slice of rowSlices(body, rowScanner(), textLimits))
    yield 'scanned' in slice
      ? slice.scanned.map((row, offset) => ({ index: slice.first + offset, row }))
      : parsedRows(slice, userId);
}

const parsedRows = ({ first, elements, plain }: ListSlice, userId: string): readonly ReadRow[] =>
  elements.map((element, offset) => {
    const index = first + offset;
    try {
      return { index, row: readSdkRow(element, { index, plain }, userId) };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { index, id: idOf(element), message: error.message };
    }
  });

/** The events of the row and of its comment or audit entry. */
export const eventsOfRow = (read: ReadRow): readonly IncomingEvent[] =>
  'message' in read
    ? []
    : [...(read.row.event === null ? [] : [read.row.event]), ...read.row.entries];

function idOf(row: JsonValue): string | null {
  const id = isJsonObject(row) ? memberOf(row, 'id') : null;
  return typeof id === 'string' ? id : null;
}
