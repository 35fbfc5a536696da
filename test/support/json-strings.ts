// Events and rows with their JSON as strings, like what is read.
import type { IncomingEvent } from '../../src/event/incoming.js';
import type { NewRow } from '../../src/event/row.js';
import type { JsonText } from '../../src/json/json-text.js';
import { type JsonColumn, jsonColumns } from '../../src/schema/event-columns.js';
import type { UncommittedRow } from '../../src/schema/event-row.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws for bytes that are not UTF-8, which a Buffer would replace. */
function stringOf(json: JsonText | null): string | null {
  if (json === null || typeof json === 'string') return json;
  const { bytes, start, end } = json;
  return decoder.decode(bytes.subarray(start, end));
}

export interface EventOfStrings extends IncomingEvent {
  readonly json: Partial<Record<JsonColumn, string | null>>;
}

export const eventOfStrings = (event: IncomingEvent): EventOfStrings => ({
  ...event,
  json: Object.fromEntries(
    Object.entries(event.json).map(([column, json]) => [column, stringOf(json)]),
  ),
});

export const rowOfStrings = (row: NewRow): UncommittedRow =>
  ({
    ...row,
    ...Object.fromEntries(jsonColumns.map((column) => [column, stringOf(row[column])])),
  }) as UncommittedRow;
