// Scans a row of the SDKs in the bytes of a body. The result equals that of `sdk-row`.
import { RequestError } from '../errors.js';
import type { Scan } from '../json/scanned-list.js';
import { loggedEvent, objectOf, type SdkRow } from './sdk-row.js';
import { eventOf, nothingFound, scanEvent, type Found } from './scan-event.js';
import { otherRowFields, rowTable } from './scan-fields.js';

const noEntries: SdkRow['entries'] = [];

/** Accepts rows that are only an event. */
export function rowScanner(): Scan<SdkRow> {
  const found = nothingFound();
  return (text, at, index, into) => {
    const end = scanEvent(text, at, rowTable, found);
    if (end < 0) return end;
    const row = rowOf(found, `rows[${index}]`);
    if (row === null) return ~end;
    into.push(row);
    return end;
  };
}

/** Returns null for rows that `sdk-row` refuses or reads in another way. */
function rowOf(found: Found, path: string): SdkRow | null {
  try {
    const object = objectOf(found.fields, path);
    if ((found.sent & otherRowFields[object.kind]) !== 0) return null;
    const event = eventOf(object.kind, found);
    if (event === null) return null;
    return {
      kind: object.kind,
      objectId: object.objectId,
      id: event.id,
      event: loggedEvent(event, found.fields),
      entries: noEntries,
    };
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}
