// Scans an event in the bytes of a body, without creating objects for JSON columns. The scanner accepts an event or declines it;
// `decode` then reads it and reports errors. An accepted event must equal the result of `decode`.
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { stringOfJson, type JsonText } from '../json/json-text.js';
import { compactColon, compactName } from '../json/compact/name.js';
import { begin, endOfSpace, stringOf, written, type Text } from '../json/compact/text.js';
import { compactObject, compactOfKind, compactValue } from '../json/compact/value.js';
import type { Scan } from '../json/scanned-list.js';
import { jsonColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';
import type { IncomingEvent } from './incoming.js';
import { incomingEvent } from './incoming-fields.js';
import { insertTables, type FieldTable, type ScannedField } from './scan-fields.js';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const letterN = 0x6e;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The fields of the current event; reused for each event. */
export interface Found {
  /** The values of fields that are not JSON columns, by name. */
  fields: Record<string, JsonValue>;
  /** JSON texts in the order of `jsonColumns`; undefined for fields that were not sent. */
  readonly texts: (JsonText | null | undefined)[];
  /** A bit for each field that was sent. */
  sent: number;
}

export const nothingFound = (): Found => ({
  fields: {},
  texts: jsonColumns.map(() => undefined),
  sent: 0,
});

/** Returns the index after the closing brace, or `~index` of the byte at which the scanner stopped. */
export function scanEvent(text: Text, start: number, table: FieldTable, found: Found): number {
  const { bytes } = text;
  found.fields = {};
  found.texts.fill(undefined);
  found.sent = 0;
  if (bytes[start] !== openBrace) return ~start;
  let at = endOfSpace(bytes, start + 1);
  if (bytes[at] !== closeBrace)
    for (;;) {
      at = scanField(text, at, table, found);
      if (at < 0) return at;
      at = endOfSpace(bytes, at);
      if (bytes[at] !== comma) break;
      at = endOfSpace(bytes, at + 1);
    }
  return bytes[at] === closeBrace ? at + 1 : ~at;
}

function scanField(text: Text, start: number, table: FieldTable, found: Found): number {
  begin(text, start);
  text.names.count = 0;
  const nameEnd = compactName(text, start);
  if (nameEnd < 0) return nameEnd;
  const field = table.byHash.get(text.names.hash);
  // Names with escapes are declined.
  if (field !== undefined && !isNamed(text, start, nameEnd, field)) return ~nameEnd;
  const at = compactColon(text, nameEnd);
  if (at < 0) return at;
  begin(text, at);
  if (field === undefined) return table.ignoresOthers ? compactValue(text, at, 1) : ~at;
  if ((found.sent & field.bit) !== 0) return ~at;
  found.sent |= field.bit;
  const end =
    field.members !== null && text.bytes[at] === openBrace
      ? compactObject(text, at, 1, field.members)
      : compactOfKind(text, at, 1, field.kind);
  if (end < 0) return end;
  if (field.column >= 0) {
    found.texts[field.column] = text.bytes[at] === letterN ? null : written(text, at, end);
    return end;
  }
  const value = valueOf(text, at, end);
  if (!field.accepts(value)) return ~end;
  found.fields[field.name] = value;
  return end;
}

/** @param start the index of the opening quote of the name */
function isNamed(
  { bytes }: Text,
  start: number,
  end: number,
  { nameBytes }: ScannedField,
): boolean {
  if (end - start !== nameBytes.length + 2) return false;
  for (let index = 0; index < nameBytes.length; index += 1)
    if (bytes[start + 1 + index] !== nameBytes[index]) return false;
  return true;
}

function valueOf(text: Text, start: number, end: number): JsonValue {
  const { bytes } = text;
  if (bytes[start] === letterN) return null;
  if (bytes[start] !== quote || text.from !== start || hasBackslash(bytes, start, end))
    return JSON.parse(stringOfJson(written(text, start, end))) as JsonValue;
  return stringOf(text, start + 1, end - 1);
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === backslash) return true;
  return false;
}

/** The JSON columns that were found, in order. */
function columnsOf({ texts }: Found): Pick<IncomingEvent, 'json' | 'lossless'> {
  const json: Record<string, JsonText | null> = {};
  for (let column = 0; column < jsonColumns.length; column += 1) {
    const text = texts[column];
    if (text !== undefined) json[jsonColumns[column]!] = text;
  }
  return { json, lossless: false };
}

/** Scans an event of an insert body. */
export function eventScanner(kind: EventObjectKind): Scan<IncomingEvent> {
  const table = insertTables[kind];
  const found = nothingFound();
  return (text, at, _index, into) => {
    const end = scanEvent(text, at, table, found);
    if (end < 0) return end;
    const event = eventOf(kind, found);
    if (event === null) return ~end;
    into.push(event);
    return end;
  };
}

/** Returns null for fields that `decode` refuses. */
export function eventOf(kind: EventObjectKind, found: Found): IncomingEvent | null {
  try {
    return incomingEvent(kind, found.fields, columnsOf(found), 'event');
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}
