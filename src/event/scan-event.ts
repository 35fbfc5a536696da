// One event in the bytes of a body -> its checked fields, without objects of the JSON columns. What the scanner does not
// take it leaves to `decode`, which then decides and words the error: whatever it takes has to be what `decode` makes.
import { RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { compactName } from '../json/compact/name.js';
import { skipSpace, written, type Text } from '../json/compact/text.js';
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
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What was found in one event; filled again for each. */
export interface Found {
  /** Values of the fields that are no JSON columns, by name. */
  fields: Record<string, JsonValue>;
  /** Texts by place in `jsonColumns`: undefined when the field was not sent. */
  readonly texts: (string | null | undefined)[];
  /** Bits of the fields that were sent. */
  sent: number;
}

export const nothingFound = (): Found => ({
  fields: {},
  texts: jsonColumns.map(() => undefined),
  sent: 0,
});

/** @returns the index behind the closing brace, or the complement of where the scanner stopped */
export function scanEvent(text: Text, start: number, table: FieldTable, found: Found): number {
  const { bytes } = text;
  found.fields = {};
  found.texts.fill(undefined);
  found.sent = 0;
  if (bytes[start] !== openBrace) return ~start;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] !== closeBrace)
    for (;;) {
      at = scanField(text, at, table, found);
      if (at < 0) return at;
      at = skipSpace(bytes, at);
      if (bytes[at] !== comma) break;
      at = skipSpace(bytes, at + 1);
    }
  return bytes[at] === closeBrace ? at + 1 : ~at;
}

function scanField(text: Text, start: number, table: FieldTable, found: Found): number {
  text.names.count = 0;
  text.write = start;
  const at = compactName(text, start);
  if (at < 0) return at;
  const field = table.byHash.get(text.names.hash);
  const isKnown = field !== undefined && isNamed(text, start, field);
  text.write = at;
  text.wide = 0;
  if (!isKnown) return table.ignoresOthers ? compactValue(text, at, 1) : ~at;
  if ((found.sent & field.bit) !== 0) return ~at;
  found.sent |= field.bit;
  const end =
    field.members !== null && text.bytes[at] === openBrace
      ? compactObject(text, at, 1, field.members)
      : compactOfKind(text, at, 1, field.kind);
  if (end < 0) return end;
  if (field.column >= 0) found.texts[field.column] = columnText(text, at);
  else {
    const value = valueOf(text, at);
    if (!field.accepts(value)) return ~end;
    found.fields[field.name] = value;
  }
  return end;
}

/** @param start of the name that was written last, with its quotes */
function isNamed({ bytes, write }: Text, start: number, { nameBytes }: ScannedField): boolean {
  if (write - start !== nameBytes.length + 2) return false;
  for (let index = 0; index < nameBytes.length; index += 1)
    if (bytes[start + 1 + index] !== nameBytes[index]) return false;
  return true;
}

const letterN = 0x6e;

const columnText = (text: Text, start: number): string | null =>
  text.bytes[start] === letterN ? null : written(text, start);

function valueOf(text: Text, start: number): JsonValue {
  const { bytes, write, wide } = text;
  if (bytes[start] === letterN) return null;
  if (bytes[start] !== quote || hasBackslash(bytes, start, write))
    return JSON.parse(written(text, start)) as JsonValue;
  return bytes.toString(wide === 0 ? 'latin1' : 'utf8', start + 1, write - 1);
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === backslash) return true;
  return false;
}

/** The JSON columns that were found, in their order. */
export function columnsOf({ texts }: Found): Pick<IncomingEvent, 'json' | 'lossless'> {
  const json: Record<string, string | null> = {};
  for (let column = 0; column < jsonColumns.length; column += 1) {
    const text = texts[column];
    if (text !== undefined) json[jsonColumns[column]!] = text;
  }
  return { json, lossless: false };
}

/** Takes what the body of an insert has for one event. */
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

/** Null for fields that `decode` refuses. */
export function eventOf(kind: EventObjectKind, found: Found): IncomingEvent | null {
  try {
    return incomingEvent(kind, found.fields, columnsOf(found), 'event');
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}
