// The values of columns in the layout of Arrow, copied from the memory of the engine without a value of JavaScript for each of them.
import type { DuckDBVector } from '@duckdb/node-api';
import { getStringBytes } from '@duckdb/node-api/lib/vectors/dataAccessors.js';
import { bytesAtPointer } from './driver.js';

/** Rows from `start` to `end` (excluded) of a batch. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

/** Validity has one bit for each row, set if the value is not NULL; it is empty if none is NULL. */
interface Nullable {
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array;
}

export interface FixedData extends Nullable {
  /** Eight bytes for each value, or one bit for each boolean. */
  readonly data: Uint8Array | Float64Array | BigInt64Array;
}

export interface TextData extends Nullable {
  readonly valueOffsets: Int32Array;
  /** UTF-8. */
  readonly data: Uint8Array;
}

export interface ListData extends Nullable {
  readonly valueOffsets: Int32Array;
  readonly elements: TextData;
  readonly elementCount: number;
}

/** What the vectors of the driver have, which its types keep private. */
interface RawVector {
  readonly validity: { readonly data: BigUint64Array | null };
  readonly items: Float64Array | BigInt64Array | Int32Array;
  readonly dataView: DataView;
  readonly entryData: BigUint64Array;
  readonly childData: DuckDBVector;
}

const raw = (vector: DuckDBVector): RawVector => vector as unknown as RawVector;

const noBytes = new Uint8Array(0);

/** One bit for each row, set if the value is not NULL; null if none is NULL. */
function validBits({ validity: { data } }: RawVector): Uint8Array | null {
  return data === null ? null : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

const isSet = (bits: Uint8Array | null, row: number): boolean =>
  bits === null || (bits[row >> 3]! & (1 << (row & 7))) !== 0;

function validityOf(vector: DuckDBVector, { start, end }: RowRange): Nullable {
  const bits = validBits(raw(vector));
  if (bits === null) return { nullCount: 0, nullBitmap: noBytes };
  const nullBitmap = new Uint8Array(Math.ceil((end - start) / 8));
  let nullCount = 0;
  for (let row = start; row < end; row += 1)
    if (!isSet(bits, row)) nullCount += 1;
    else nullBitmap[(row - start) >> 3]! |= 1 << ((row - start) & 7);
  return { nullCount, nullBitmap };
}

/** Of DOUBLE, BIGINT and TIMESTAMP WITH TIME ZONE. */
export const fixedData = (vector: DuckDBVector, range: RowRange): FixedData => ({
  ...validityOf(vector, range),
  data: raw(vector).items.slice(range.start, range.end) as FixedData['data'],
});

export function booleanData(vector: DuckDBVector, range: RowRange): FixedData {
  const dataView = raw(vector).dataView;
  const data = new Uint8Array(Math.ceil((range.end - range.start) / 8));
  for (let row = range.start; row < range.end; row += 1) {
    const offset = row - range.start;
    if (dataView.getUint8(row) !== 0) data[offset >> 3]! |= 1 << (offset & 7);
  }
  return { ...validityOf(vector, range), data };
}

/** The bytes that the engine uses for a string of a column: its length, and its text or a pointer to it. */
const stringBytes = 16;

/** Views of the bytes of a text, in the memory of the engine. */
const bytesAt = (dataView: DataView, row: number): Uint8Array =>
  getStringBytes(dataView, row * stringBytes);

/** Texts of rows from `start` to `end` (excluded) whose bytes follow each other in the memory of the engine. */
interface TextRun extends RowRange {
  readonly bytes: Uint8Array;
  /** The lower half of the address of the first text. */
  readonly address: number;
}

/** The lengths of texts that the engine keeps beside their length instead of elsewhere. */
const inlineBytesMax = 12;

/** Texts begin at multiples of this number of bytes, so the bytes between two that follow each other are fewer. */
const alignment = 8;

const lengthAt = (view: DataView, row: number): number => view.getUint32(row * stringBytes, true);

const lowAddress = (view: DataView, row: number): number =>
  view.getUint32(row * stringBytes + 8, true);

const highAddress = (view: DataView, row: number): number =>
  view.getUint32(row * stringBytes + 12, true);

/** The first row from `start` on whose text does not follow that of the row before it, and the end of the last one that does. */
function endOfRun(view: DataView, { start, end }: RowRange): readonly [number, number] {
  const high = highAddress(view, start);
  let next = lowAddress(view, start) + lengthAt(view, start);
  let row = start + 1;
  for (; row < end; row += 1) {
    const length = lengthAt(view, row);
    const low = lowAddress(view, row);
    const gap = low - next;
    if (length <= inlineBytesMax || highAddress(view, row) !== high) break;
    if (gap < 0 || gap >= alignment) break;
    next = low + length;
  }
  return [row, next];
}

/** Reading memory takes a call of the driver, which costs more than the copy of a text: texts that follow each other take one call. */
function* textRuns(view: DataView, { start, end }: RowRange): Generator<TextRun, void> {
  for (let row = start; row < end;) {
    const address = lowAddress(view, row);
    if (lengthAt(view, row) <= inlineBytesMax) {
      yield { start: row, end: row + 1, bytes: bytesAt(view, row), address };
      row += 1;
      continue;
    }
    const [after, last] = endOfRun(view, { start: row, end });
    const pointer = view.byteOffset + row * stringBytes + 8;
    const bytes = bytesAtPointer(view.buffer as ArrayBuffer, pointer, last - address);
    yield { start: row, end: after, bytes, address };
    row = after;
  }
}

/**
 * Divides joined texts into columns. The engine joins those of a row, so that fewer of them are read.
 * @param lengths for each column, the lengths of its texts in bytes (INTEGER), NULL for NULL
 */
export function dividedTexts(
  joined: DuckDBVector,
  lengths: readonly DuckDBVector[],
  range: RowRange,
): readonly TextData[] {
  const count = range.end - range.start;
  const columns = lengths.map((vector) => {
    const sizes = raw(vector).items as Int32Array;
    const bits = validBits(raw(vector));
    const valueOffsets = new Int32Array(count + 1);
    for (let offset = 0; offset < count; offset += 1) {
      const row = range.start + offset;
      valueOffsets[offset + 1] = valueOffsets[offset]! + (isSet(bits, row) ? sizes[row]! : 0);
    }
    const data = new Uint8Array(valueOffsets[count]!);
    return { ...validityOf(vector, range), valueOffsets, data };
  });
  const view = raw(joined).dataView;
  for (const { bytes, address, ...rows } of textRuns(view, range))
    for (let row = rows.start; row < rows.end; row += 1) {
      const offset = row - range.start;
      let at = lowAddress(view, row) - address;
      for (const { valueOffsets, data } of columns) {
        const start = valueOffsets[offset]!;
        const end = valueOffsets[offset + 1]!;
        copyBytes(bytes, at, data, start, end);
        at += end - start;
      }
    }
  return columns;
}

/** Up to this length, a loop is faster than a call. */
const loopBytesMax = 48;

function copyBytes(from: Uint8Array, at: number, to: Uint8Array, start: number, end: number): void {
  if (end - start > loopBytesMax) to.set(from.subarray(at, at + end - start), start);
  else for (let index = start; index < end; index += 1) to[index] = from[at + index - start]!;
}

/** Of VARCHAR[]. */
export function listData(vector: DuckDBVector, range: RowRange): ListData {
  const lists = raw(vector);
  const bits = validBits(lists);
  const valueOffsets = new Int32Array(range.end - range.start + 1);
  const texts: Uint8Array[] = [];
  const view = raw(lists.childData).dataView;
  for (let row = range.start; row < range.end; row += 1) {
    const first = Number(lists.entryData[2 * row]);
    const count = isSet(bits, row) ? Number(lists.entryData[2 * row + 1]) : 0;
    for (let index = first; index < first + count; index += 1) texts.push(bytesAt(view, index));
    valueOffsets[row - range.start + 1] = texts.length;
  }
  const elementOffsets = new Int32Array(texts.length + 1);
  for (const [index, { length }] of texts.entries())
    elementOffsets[index + 1] = elementOffsets[index]! + length;
  const elements = {
    nullCount: 0,
    nullBitmap: noBytes,
    valueOffsets: elementOffsets,
    data: Buffer.concat(texts),
  };
  return { ...validityOf(vector, range), valueOffsets, elements, elementCount: texts.length };
}

/** Divides rows into ranges whose texts have about `bytesMax` bytes at most, since Arrow has offsets of 32 bits. */
export function* rangesOf(
  joined: DuckDBVector,
  rowCount: number,
  bytesMax: number,
): Generator<RowRange, void> {
  const view = raw(joined).dataView;
  let [start, bytes] = [0, 0];
  for (let row = 0; row < rowCount; row += 1) {
    bytes += lengthAt(view, row);
    if (bytes < bytesMax) continue;
    yield { start, end: row + 1 };
    [start, bytes] = [row + 1, 0];
  }
  if (start < rowCount) yield { start, end: rowCount };
}
