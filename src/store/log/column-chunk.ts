// Column chunks of uncompressed Parquet files, one page each, written from the bytes of records. The library's writer takes a
// JavaScript value for each cell, and copies it twice more.
import type { ColumnChunk, ParquetType } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import {
  booleanOf,
  textBytes,
  textColumns,
  textListOf,
  textsStart,
  writeInt64,
  type BooleanColumn,
  type Int64Column,
  type RecordRef,
} from './record.js';

/** Definition or repetition levels of a page, one number per value. */
interface Levels {
  readonly list: Uint8Array | number[];
  readonly max: number;
}

interface Page {
  readonly path: readonly string[];
  readonly type: ParquetType;
  readonly rows: number;
  /** Null for a column in which every row has one value. */
  readonly definition: Levels | null;
  readonly repetition?: Levels;
  /** The size of the values. */
  readonly bytes: number;
  readonly write: (into: Buffer, at: number) => void;
}

/** Appends the chunk to `out`, whose `offset` must be that of the file. */
function writePage(out: ByteWriter, page: Page): ColumnChunk {
  const { path, type, rows, definition, repetition = null, bytes, write } = page;
  const levels = new ByteWriter();
  const repetitionBytes = writeLevels(levels, repetition);
  const definitionBytes = writeLevels(levels, definition);
  const values = definition?.list.length ?? rows;
  const start = out.offset;
  const size = levels.offset + bytes;
  writePageHeader(out, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: size,
    compressed_page_size: size,
    data_page_header_v2: {
      num_values: values,
      num_nulls: definition === null ? 0 : nullsIn(definition),
      num_rows: rows,
      encoding: 'PLAIN',
      definition_levels_byte_length: definitionBytes,
      repetition_levels_byte_length: repetitionBytes,
      is_compressed: false,
    },
  });
  out.appendBytes(levels.getBytes());
  out.ensure(bytes);
  write(Buffer.from(out.buffer), out.index);
  out.index += bytes;
  out.offset += bytes;
  const total = BigInt(out.offset - start);
  return {
    file_offset: BigInt(start),
    meta_data: {
      type,
      encodings: ['PLAIN', 'RLE'],
      path_in_schema: [...path],
      codec: 'UNCOMPRESSED',
      num_values: BigInt(values),
      total_uncompressed_size: total,
      total_compressed_size: total,
      data_page_offset: BigInt(start),
    },
  };
}

function nullsIn({ list, max }: Levels): number {
  let nulls = 0;
  for (const level of list) if (level < max) nulls += 1;
  return nulls;
}

const writeLevels = (out: ByteWriter, levels: Levels | null): number =>
  levels === null
    ? 0
    : writeRleBitPackedHybrid(out, levels.list, Math.ceil(Math.log2(levels.max + 1)));

type Records = readonly RecordRef[];

export const writeNumbers = (
  out: ByteWriter,
  name: string,
  rows: Records,
  valueOf: (row: number) => number,
): ColumnChunk =>
  writePage(out, {
    path: [name],
    type: 'INT32',
    rows: rows.length,
    definition: null,
    bytes: 4 * rows.length,
    write: (into, at) => {
      for (let row = 0; row < rows.length; row++) into.writeInt32LE(valueOf(row), at + 4 * row);
    },
  });

export const writeInt64s = (out: ByteWriter, name: Int64Column, rows: Records): ColumnChunk =>
  writePage(out, {
    path: [name],
    type: 'INT64',
    rows: rows.length,
    definition: null,
    bytes: 8 * rows.length,
    write: (into, at) => {
      for (const [row, place] of rows.entries()) writeInt64(place, name, into, at + 8 * row);
    },
  });

export function writeOptionalInt64s(
  out: ByteWriter,
  name: string,
  values: readonly (bigint | null)[],
): ColumnChunk {
  const present = values.filter((value) => value !== null);
  return writePage(out, {
    path: [name],
    type: 'INT64',
    rows: values.length,
    definition: { list: values.map((value) => Number(value !== null)), max: 1 },
    bytes: 8 * present.length,
    write: (into, at) => {
      for (const [index, value] of present.entries()) into.writeBigInt64LE(value, at + 8 * index);
    },
  });
}

export function writeBooleans(out: ByteWriter, name: BooleanColumn, rows: Records): ColumnChunk {
  const bytes = Math.ceil(rows.length / 8);
  return writePage(out, {
    path: [name],
    type: 'BOOLEAN',
    rows: rows.length,
    definition: null,
    bytes,
    write: (into, at) => {
      into.fill(0, at, at + bytes);
      for (const [row, place] of rows.entries())
        if (booleanOf(place, name)) into[at + (row >> 3)]! |= 1 << (row & 7);
    },
  });
}

/** The texts of one column, by row. */
export interface TextRanges {
  /** Where they begin in their frames. */
  readonly from: Uint32Array;
  /** -1 for NULL. */
  readonly bytes: Int32Array;
}

/** The texts of the rows, by index in `textColumns`. Reads each record once, since the records of a group exceed the cache. */
export function textRanges(rows: Records): readonly TextRanges[] {
  const columns = textColumns.map(() => ({
    from: new Uint32Array(rows.length),
    bytes: new Int32Array(rows.length),
  }));
  for (const [row, { frame, start }] of rows.entries()) {
    let at = textsStart(frame, start);
    for (let index = 0; index < columns.length; index++) {
      const bytes = textBytes(frame, start, index);
      const column = columns[index]!;
      column.from[row] = at;
      column.bytes[row] = bytes;
      if (bytes > 0) at += bytes;
    }
  }
  return columns;
}

export function writeTexts(
  out: ByteWriter,
  name: string,
  rows: Records,
  { from, bytes: sizes }: TextRanges,
): ColumnChunk {
  let bytes = 0;
  const levels = new Uint8Array(rows.length);
  for (let row = 0; row < rows.length; row++) {
    if (sizes[row]! < 0) continue;
    levels[row] = 1;
    bytes += 4 + sizes[row]!;
  }
  return writePage(out, {
    path: [name],
    type: 'BYTE_ARRAY',
    rows: rows.length,
    definition: { list: levels, max: 1 },
    bytes,
    write: (into, first) => {
      let at = first;
      for (let row = 0; row < rows.length; row++) {
        const size = sizes[row]!;
        if (size < 0) continue;
        into.writeUInt32LE(size, at);
        rows[row]!.frame.copy(into, at + 4, from[row], from[row]! + size);
        at += 4 + size;
      }
    },
  });
}

const listMax = { definition: 3, repetition: 1 };

export function writeLists(
  out: ByteWriter,
  name: string,
  rows: Records,
  { from, bytes: sizes }: TextRanges,
): ColumnChunk {
  const definition: number[] = [];
  const repetition: number[] = [];
  const texts: Buffer[] = [];
  for (const [row, { frame }] of rows.entries()) {
    const start = from[row]!;
    const list = sizes[row]! < 0 ? null : textListOf(frame, start, start + sizes[row]!);
    if (list === null || list.length === 0) {
      definition.push(Number(list !== null));
      repetition.push(0);
    } else
      for (const [position, text] of list.entries()) {
        definition.push(listMax.definition);
        repetition.push(Number(position > 0));
        texts.push(Buffer.from(text));
      }
  }
  return writePage(out, {
    path: [name, 'list', 'element'],
    type: 'BYTE_ARRAY',
    rows: rows.length,
    definition: { list: definition, max: listMax.definition },
    repetition: { list: repetition, max: listMax.repetition },
    bytes: texts.reduce((sum, { length }) => sum + 4 + length, 0),
    write: (into, first) => {
      let at = first;
      for (const text of texts) {
        into.writeUInt32LE(text.length, at);
        at += 4 + text.copy(into, at + 4);
      }
    },
  });
}
