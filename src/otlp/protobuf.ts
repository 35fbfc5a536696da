// Converts a protobuf message to the value of the JSON mapping of OTLP. Checks length, depth and number of fields while reading,
// so that a message cannot create more values than the limits allow.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { assertNever, badRequest, RequestError } from '../errors.js';
import type { JsonValue } from '../json/json.js';
import { maxLevels } from '../json/syntax-error.js';
import { limits } from '../schema/limits.js';
import { messages, type Field, type MessageName, type ScalarType } from './messages.js';

export const requestBody = 'request body';

/** The error for a message that cannot be read. The messages around it may be valid. */
export class UnreadableMessage extends RequestError {}

/** The error for an exception of the reader. */
export function protobufError(error: unknown, reader: BinaryReader): RequestError {
  if (error instanceof RequestError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return badRequest(
    `${requestBody} is not a valid ExportTraceServiceRequest near byte ${reader.pos}: ${reason}`,
  );
}

const wireTypes: Readonly<Record<ScalarType, WireType>> = {
  string: WireType.LengthDelimited,
  hex: WireType.LengthDelimited,
  base64: WireType.LengthDelimited,
  bool: WireType.Varint,
  int64: WireType.Varint,
  uint32: WireType.Varint,
  enum: WireType.Varint,
  fixed32: WireType.Bit32,
  fixed64: WireType.Bit64,
  double: WireType.Bit64,
};

/** Sizes of the fixed-size types. */
const fixedLengths: Readonly<Partial<Record<ScalarType, number>>> = {
  fixed32: 4,
  fixed64: 8,
  double: 8,
};

export const beyondMessage = () => new Error('a field exceeds its message');

const isScalar = (type: Field['type']): type is ScalarType => type in wireTypes;

export function checkWireType(wireType: WireType, expected: WireType, what: string): void {
  if (wireType !== expected)
    throw new Error(`${what} has the wire type ${wireType}, not ${expected}`);
}

/** Groups are not supported: their depth is not limited. */
export function skipField(reader: BinaryReader, wireType: WireType): void {
  if (wireType === WireType.StartGroup || wireType === WireType.EndGroup)
    throw new Error('groups are not supported');
  reader.skip(wireType);
}

/** Reads the length of a field and returns the position of its end. */
export function endOfField(reader: BinaryReader, outerEnd: number): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > outerEnd) throw new Error(`a length of ${length} exceeds its message`);
  return end;
}

/** The bytes of a length-delimited field. */
function readBytes(reader: BinaryReader, bytes: Buffer, outerEnd: number): Buffer {
  const end = endOfField(reader, outerEnd);
  const field = bytes.subarray(reader.pos, end);
  reader.pos = end;
  return field;
}

/** Bytes that are not UTF-8, such as those of a character that was cut, become U+FFFD. */
export function readText(reader: BinaryReader, bytes: Buffer, outerEnd: number): string {
  return readBytes(reader, bytes, outerEnd).toString();
}

/** NaN and the infinities are strings in the JSON mapping. */
const jsonDouble = (value: number): JsonValue => (Number.isFinite(value) ? value : String(value));

function readScalar(
  reader: BinaryReader,
  type: ScalarType,
  bytes: Buffer,
  outerEnd: number,
): JsonValue {
  switch (type) {
    case 'string':
      return readText(reader, bytes, outerEnd);
    case 'hex':
    case 'base64':
      return readBytes(reader, bytes, outerEnd).toString(type);
    case 'bool':
      return reader.bool();
    case 'int64':
      return String(reader.int64());
    case 'uint32':
      return reader.uint32();
    case 'enum':
      return reader.int32();
    case 'fixed32':
      return reader.fixed32();
    case 'fixed64':
      return String(reader.fixed64());
    case 'double':
      return jsonDouble(reader.double());
    default:
      return assertNever(type);
  }
}

/** The state of reading a message. */
interface Reading {
  readonly reader: BinaryReader;
  readonly bytes: Buffer;
  readonly path: () => string;
  /** The number of further fields allowed. */
  left: number;
}

function readFields(
  reading: Reading,
  name: MessageName,
  end: number,
  levels: number,
): Readonly<Record<string, JsonValue>> {
  const { reader, bytes, path } = reading;
  if (levels === 0) throw new Error(`a message is nested more than ${maxLevels} levels deep`);
  const fields = messages[name];
  const message: Record<string, JsonValue> = {};
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    reading.left -= 1;
    if (reading.left < 0) throw tooManyFields(path());
    const field = fields[number];
    if (field === undefined) {
      skipField(reader, wireType);
      continue;
    }
    const value = readField(reading, field, wireType, end, levels, bytes);
    if (field.repeated) ((message[field.name] ??= []) as JsonValue[]).push(value);
    else message[field.name] = value;
  }
  if (reader.pos > end) throw beyondMessage();
  return message;
}

function readField(
  reading: Reading,
  { name, type }: Field,
  wireType: WireType,
  outerEnd: number,
  levels: number,
  bytes: Buffer,
): JsonValue {
  const { reader } = reading;
  if (isScalar(type)) {
    checkWireType(wireType, wireTypes[type], `the field ${name}`);
    if (reader.pos + (fixedLengths[type] ?? 0) > outerEnd) throw beyondMessage();
    return readScalar(reader, type, bytes, outerEnd);
  }
  checkWireType(wireType, WireType.LengthDelimited, `the field ${name}`);
  return readFields(reading, type, endOfField(reader, outerEnd), levels - 1);
}

const tooManyFields = (path: string) =>
  badRequest(`${path}: expected at most ${limits.spanValues.max} members and elements, got more`);

/**
 * Reads the message in `bytes` from `start` to `end`. `path` names it in errors.
 * @throws UnreadableMessage 400 for an invalid message, or one that is nested too deep
 * @throws RequestError 400 for too many fields
 */
export function readMessage(
  name: MessageName,
  bytes: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  path: () => string,
): JsonValue {
  const reader = new BinaryReader(bytes);
  reader.pos = start;
  try {
    return readFields({ reader, bytes, path, left: limits.spanValues.max }, name, end, maxLevels);
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { status, message } = protobufError(error, reader);
    throw new UnreadableMessage(status, message);
  }
}
