// One row version as bytes in the log: numbers at fixed offsets, then the length of each text, then the texts in UTF-8.
//
//   0  uint32  bytes of the record, these included       20  int32  _position
//   4  int64   _xact_id                                  24  uint8  flags: 1 deleted, 2 lossless, 4 root
//  12  int64   created, microseconds since 1970          25  uint8  texts
//                                                        28  uint32 length of each text, `absent` for NULL
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import {
  jsonByteLength,
  jsonBytesMax,
  writeJsonText,
  type JsonText,
} from '../../json/json-text.js';
import type { NewRow } from '../../event/row.js';
import type { EventRow } from '../../schema/event-row.js';

/** The columns that are stored as texts, in the order of the record. A new column comes last, so that older frames lack it. */
export const textColumns = (Object.keys(eventColumns) as readonly EventColumn[]).filter((name) =>
  ['string', 'strings', 'json'].includes(eventColumns[name]),
);

const isList = textColumns.map((name) => eventColumns[name] === 'strings');
const isJson = textColumns.map((name) => eventColumns[name] === 'json');

/** The size of the numbers of a record. */
export const recordHeadBytes = 28;
/** The size of a row without its texts. */
export const recordFixedBytes = recordHeadBytes + 4 * textColumns.length;
const absent = 0xffff_ffff;
const flag = { deleted: 1, lossless: 2, root: 4 } as const;

/** Texts of at least this size are measured; for smaller ones the bound is good enough and takes no time. */
const exactlyFrom = 2 ** 16;

/** The largest possible size of a row with these texts. */
export function recordBytesMax(texts: readonly (JsonText | null)[]): number {
  let sum = recordFixedBytes;
  for (const text of texts) {
    if (text === null) continue;
    const bytes = jsonBytesMax(text);
    sum += bytes < exactlyFrom ? bytes : jsonByteLength(text);
  }
  return sum;
}

/** The texts of the row in the order of `textColumns`; lists as JSON. */
export const textsOf = (row: NewRow): (JsonText | null)[] =>
  textColumns.map((name, index) => {
    const value = row[name as keyof NewRow] as JsonText | readonly string[] | null;
    return isList[index] === true && value !== null ? JSON.stringify(value) : (value as JsonText);
  });

export interface RowPosition {
  readonly xactId: bigint;
  /** Index in its request. */
  readonly position: number;
}

/** Writes a record at `start` of `buffer`, which must be large enough. Returns the end of the record. */
export function writeRecord(
  buffer: Buffer,
  start: number,
  row: NewRow,
  texts: readonly (JsonText | null)[],
  { xactId, position }: RowPosition,
): number {
  buffer.writeBigInt64LE(xactId, start + 4);
  buffer.writeBigInt64LE(row.created, start + 12);
  buffer.writeInt32LE(position, start + 20);
  buffer.writeUInt32LE(flagsOf(row) + (texts.length << 8), start + 24);
  let end = start + recordHeadBytes + 4 * texts.length;
  for (const [index, text] of texts.entries()) {
    const bytes = text === null ? absent : writeJsonText(text, buffer, end);
    buffer.writeUInt32LE(bytes, start + recordHeadBytes + 4 * index);
    if (text !== null) end += bytes;
  }
  buffer.writeUInt32LE(end - start, start);
  return end;
}

const flagsOf = ({ _deleted, _lossless, is_root: isRoot }: NewRow): number =>
  (_deleted ? flag.deleted : 0) | (_lossless ? flag.lossless : 0) | (isRoot ? flag.root : 0);

export const recordBytes = (buffer: Buffer, start: number): number => buffer.readUInt32LE(start);

/** The fields of a record other than its texts. */
export interface RecordHead {
  readonly xactId: bigint;
  readonly created: bigint;
  readonly position: number;
  readonly deleted: boolean;
  readonly lossless: boolean;
  readonly isRoot: boolean;
}

export function readHead(buffer: Buffer, start: number): RecordHead {
  const flags = buffer.readUInt8(start + 24);
  return {
    xactId: buffer.readBigInt64LE(start + 4),
    created: buffer.readBigInt64LE(start + 12),
    position: buffer.readInt32LE(start + 20),
    deleted: (flags & flag.deleted) !== 0,
    lossless: (flags & flag.lossless) !== 0,
    isRoot: (flags & flag.root) !== 0,
  };
}

/** Where the texts of the record begin. They follow each other in the order of `textColumns`. */
export const textsStart = (buffer: Buffer, start: number): number =>
  start + recordHeadBytes + 4 * buffer.readUInt8(start + 25);

/** The bytes of a text; -1 for NULL and for columns that are newer than the record. */
export function textBytes(buffer: Buffer, start: number, index: number): number {
  if (index >= buffer.readUInt8(start + 25)) return -1;
  const bytes = buffer.readUInt32LE(start + recordHeadBytes + 4 * index);
  return bytes === absent ? -1 : bytes;
}

/** The value of a list column. */
export const textListOf = (buffer: Buffer, from: number, to: number): readonly string[] =>
  JSON.parse(buffer.toString('utf8', from, to)) as readonly string[];

/** A record in its frame. */
export interface RecordRef {
  readonly frame: Buffer;
  /** Where it begins. */
  readonly start: number;
}

/** Columns other than texts and `_position`, by type, with their offsets or flags. */
const int64At = { _xact_id: 4, created: 12 } as const;
const booleanFlag = {
  _deleted: flag.deleted,
  _lossless: flag.lossless,
  is_root: flag.root,
} as const;

export type Int64Column = keyof typeof int64At;
export type BooleanColumn = keyof typeof booleanFlag;

export const booleanOf = ({ frame, start }: RecordRef, column: BooleanColumn): boolean =>
  (frame.readUInt8(start + 24) & booleanFlag[column]) !== 0;

export function writeInt64(
  { frame, start }: RecordRef,
  column: Int64Column,
  into: Buffer,
  at: number,
): void {
  const from = start + int64At[column];
  into.writeUInt32LE(frame.readUInt32LE(from), at);
  into.writeUInt32LE(frame.readUInt32LE(from + 4), at + 4);
}

/** The columns that have a text in every row, and their indexes. */
const keyColumns = {
  object_id: textColumns.indexOf('object_id'),
  project_id: textColumns.indexOf('project_id'),
  id: textColumns.indexOf('id'),
  root_span_id: textColumns.indexOf('root_span_id'),
};

export type KeyColumn = keyof typeof keyColumns;

export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The bytes of the texts from column `first` to `last`. */
export function textsAcross(
  buffer: Buffer,
  start: number,
  first: KeyColumn,
  last: KeyColumn,
): ByteRange {
  let from = textsStart(buffer, start);
  let index = 0;
  for (; index < keyColumns[first]; index++) from += Math.max(0, textBytes(buffer, start, index));
  let to = from;
  for (; index <= keyColumns[last]; index++) to += Math.max(0, textBytes(buffer, start, index));
  return { from, to };
}

/** The bytes of the text of a column. */
export const textRange = (buffer: Buffer, start: number, column: KeyColumn): ByteRange =>
  textsAcross(buffer, start, column, column);

/** Compares texts by their bytes. */
export function compareTexts(one: RecordRef, other: RecordRef, column: KeyColumn): number {
  const own = textRange(one.frame, one.start, column);
  const { from, to } = textRange(other.frame, other.start, column);
  return one.frame.compare(other.frame, from, to, own.from, own.to);
}

export const compareXactIds = (one: RecordRef, other: RecordRef): number =>
  one.frame.readInt32LE(one.start + 8) - other.frame.readInt32LE(other.start + 8) ||
  one.frame.readUInt32LE(one.start + 4) - other.frame.readUInt32LE(other.start + 4);

export const positionOf = ({ frame, start }: RecordRef): number => frame.readInt32LE(start + 20);

/** The fields by which the row of the record at `start` is found. */
export function readIds(buffer: Buffer, start: number) {
  const text = (column: KeyColumn): string => {
    const { from, to } = textRange(buffer, start, column);
    return buffer.toString('utf8', from, to);
  };
  return { objectId: text('object_id'), id: text('id'), rootSpanId: text('root_span_id') };
}

type JsonReader = (buffer: Buffer, start: number, end: number) => JsonText;

const asString: JsonReader = (buffer, start, end) => buffer.toString('utf8', start, end);
const asBytes: JsonReader = (bytes, start, end) => ({ bytes, start, end });

function readWith(buffer: Buffer, start: number, json: JsonReader): NewRow {
  const { created, deleted, lossless, isRoot } = readHead(buffer, start);
  const row: Record<string, unknown> = {
    _deleted: deleted,
    _lossless: lossless,
    created,
    is_root: isRoot,
  };
  let from = textsStart(buffer, start);
  for (const [index, name] of textColumns.entries()) {
    const bytes = textBytes(buffer, start, index);
    const to = from + Math.max(0, bytes);
    if (bytes < 0) row[name] = null;
    else if (isList[index] === true) row[name] = textListOf(buffer, from, to);
    else row[name] = isJson[index] === true ? json(buffer, from, to) : asString(buffer, from, to);
    from = to;
  }
  return row as unknown as NewRow;
}

/** The row of the record at `start`. */
export function readRow(buffer: Buffer, start: number): EventRow {
  const { xactId, position } = readHead(buffer, start);
  const row = readWith(buffer, start, asString);
  return { ...row, _xact_id: xactId, _position: position } as EventRow;
}

/** The row without its position, whose JSON columns stay parts of `buffer`: a merge reads few of them. */
export const readNewRow = (buffer: Buffer, start: number): NewRow =>
  readWith(buffer, start, asBytes);
