// The JSON values of a Parquet column, by its type. Numbers keep all digits, and times are ISO 8601 in UTC.
import { isUtf8 } from 'node:buffer';
import type { SchemaElement } from 'hyparquet';
import { parseFloat16 } from 'hyparquet/src/convert.js';
import { badRequest } from '../../errors.js';
import type { JsonValue } from '../../json/json.js';
import { exactNumber } from '../../json/ordered.js';
import { parseJsonDocument } from '../../json/parse.js';
import { scanElement } from '../../json/scan.js';
import { timestampText } from '../../json/timestamp-text.js';
import { elementLimitsOf, type TextLimits } from '../body-text.js';
import { columnText, unsupported } from './budget.js';

/** A value as it is stored. */
export type Raw = boolean | number | bigint | Uint8Array;

type Convert = (raw: Raw, column: LeafColumn) => JsonValue;

export interface LeafColumn {
  readonly name: string;
  readonly element: SchemaElement;
  readonly textLimits: TextLimits;
}

/**
 * Returns the function for the values of a column.
 * @throws RequestError 400 for a type that has none
 */
export function leafReader(column: LeafColumn): (raw: Raw) => JsonValue {
  const type = typeOf(column.element);
  const convert = Object.hasOwn(converters, type) ? converters[type] : undefined;
  if (convert === undefined) throw unsupported(column.name, `the type ${type}`, supported);
  return (raw) => convert(raw, column);
}

const integer: Convert = (raw) => exactNumber(String(raw));
const unsigned =
  (bits: number): Convert =>
  (raw) =>
    exactNumber(String(BigInt.asUintN(bits, BigInt(raw as number | bigint))));

function double(raw: number, { name }: LeafColumn): number {
  if (Number.isFinite(raw)) return raw;
  throw badRequest(`${columnText(name)}: JSON has no ${raw}: store null instead`);
}

function text(raw: Raw, { name }: LeafColumn): string {
  const bytes = raw as Uint8Array;
  if (!isUtf8(bytes)) throw badRequest(`${columnText(name)}: a string is not UTF-8`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

function json(raw: Raw, { name, textLimits }: LeafColumn): JsonValue {
  const where = columnText(name);
  const { buffer, byteOffset, length } = raw as Uint8Array;
  scanElement(Buffer.from(buffer, byteOffset, length), 0, {
    ...elementLimitsOf(textLimits),
    name: () => where,
  });
  return parseJsonDocument(text(raw, { name } as LeafColumn), where).value;
}

const day = 86_400_000_000n;

/** Microseconds and what is left of a time, in a unit of so many per second. */
function momentOf(raw: Raw, perSecond: bigint): string {
  const value = BigInt(raw as number | bigint);
  if (perSecond <= 1_000_000n) return timestampText(value * (1_000_000n / perSecond));
  const left = BigInt.asUintN(64, ((value % 1000n) + 1000n) % 1000n);
  const shown = timestampText((value - left) / 1000n);
  if (left === 0n) return shown;
  const [seconds = '', fraction = ''] = shown.slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}${String(left).padStart(3, '0')}Z`;
}

const timestamp =
  (perSecond: bigint): Convert =>
  (raw) =>
    momentOf(raw, perSecond);

const time =
  (perSecond: bigint): Convert =>
  (raw) =>
    momentOf(raw, perSecond).slice('1970-01-01T'.length, -1);

/** Days since the year -4712 and nanoseconds. */
function int96(raw: Raw): string {
  const value = raw as bigint;
  const days = (value >> 64n) - 2_440_588n;
  return momentOf(days * day * 1000n + BigInt.asUintN(64, value), 1_000_000_000n);
}

function decimal(raw: Raw, { element }: LeafColumn): JsonValue {
  const scale =
    element.logical_type?.type === 'DECIMAL' ? element.logical_type.scale : (element.scale ?? 0);
  const whole =
    raw instanceof Uint8Array
      ? BigInt.asIntN(8 * raw.length, BigInt(`0x0${Buffer.from(raw).toString('hex')}`))
      : BigInt(raw);
  return exactNumber(scale === 0 ? String(whole) : pointed(whole, scale));
}

function pointed(whole: bigint, scale: number): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0');
  return `${whole < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function uuid(raw: Raw): string {
  const hex = Buffer.from(raw as Uint8Array).toString('hex');
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([start, end]) => hex.slice(start, end))
    .join('-');
}

const converters: Readonly<Record<string, Convert>> = {
  BOOLEAN: (raw) => raw as boolean,
  INT32: integer,
  INT64: integer,
  UINT_32: unsigned(32),
  UINT_64: unsigned(64),
  FLOAT: (raw, column) => double(raw as number, column),
  DOUBLE: (raw, column) => double(raw as number, column),
  FLOAT16: (raw, column) => double(parseFloat16(raw as Uint8Array)!, column),
  DECIMAL: decimal,
  STRING: text,
  JSON: json,
  UUID: uuid,
  DATE: (raw) => timestampText(BigInt(raw as number) * day).slice(0, -'T00:00:00Z'.length),
  TIME_MILLIS: time(1000n),
  TIME_MICROS: time(1_000_000n),
  TIME_NANOS: time(1_000_000_000n),
  TIMESTAMP_MILLIS: timestamp(1000n),
  TIMESTAMP_MICROS: timestamp(1_000_000n),
  TIMESTAMP_NANOS: timestamp(1_000_000_000n),
  INT96: int96,
  // Nothing but null.
  NULL: () => null,
};

const supported = ['strings', 'JSON', 'numbers', 'booleans', 'times', 'lists', 'maps', 'structs'];

const names: Readonly<Record<string, string>> = {
  UTF8: 'STRING',
  ENUM: 'STRING',
  INT_8: 'INT32',
  INT_16: 'INT32',
  INT_32: 'INT32',
  INT_64: 'INT64',
  UINT_8: 'INT32',
  UINT_16: 'INT32',
};

/** The largest fixed length, which is that of wide decimals. */
const fixedBytesMax = 64;

/** The name of its type among the converters, or what is unsupported. */
function typeOf({
  type,
  type_length = 0,
  logical_type: logical,
  converted_type,
}: SchemaElement): string {
  if (type === 'FIXED_LEN_BYTE_ARRAY' && !(type_length > 0 && type_length <= fixedBytesMax))
    return `${type}(${type_length})`;
  if (logical === undefined) return names[converted_type ?? ''] ?? converted_type ?? type ?? '';
  if (logical.type === 'TIME' || logical.type === 'TIMESTAMP')
    return `${logical.type}_${logical.unit}`;
  if (logical.type !== 'INTEGER') return names[logical.type] ?? logical.type;
  return logical.isSigned || logical.bitWidth < 32 ? type! : `UINT_${logical.bitWidth}`;
}
