// Copies rows of the log to an uncompressed Parquet file, which is read a few times and then removed. Runs in the thread of
// an engine instance, since it takes some microseconds of processor time per row.
import { open } from 'node:fs/promises';
import type { ColumnChunk, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import {
  textRanges,
  writeBooleans,
  writeInt64s,
  writeLists,
  writeNumbers,
  writeOptionalInt64s,
  writeTexts,
} from './column-chunk.js';
import { recordStarts } from './frame.js';
import {
  positionOf,
  recordBytes,
  textColumns,
  type BooleanColumn,
  type Int64Column,
  type RecordRef,
} from './record.js';
import { readFrames, type LogContent } from './read-log.js';

/** A request to copy rows of a log. It can be posted to a thread. */
export interface RowsFileRequest {
  readonly log: string;
  readonly source: number;
  /** The offset of the frame with the first row, and the first row number of that frame. */
  readonly from: { readonly offset: number; readonly firstRow: number };
  /** The end of the last frame of the log. */
  readonly to: number;
  readonly firstRow: number;
  /** Exclusive. */
  readonly endRow: number;
  /** The path of the new file. */
  readonly file: string;
  /** The values of the column `_superseded_by`; null for a file without this column. */
  readonly superseded: { readonly rows: Int32Array; readonly byXactIds: BigInt64Array } | null;
}

/** Requests all rows of a log that no server has open; `content` is from `inspectLog`. */
export const wholeLog = (
  log: string,
  source: number,
  { rows, end }: Pick<LogContent, 'rows' | 'end'>,
  file: string,
): RowsFileRequest => ({
  log,
  source,
  from: { offset: 0, firstRow: 0 },
  to: end,
  firstRow: 0,
  endRow: rows,
  file,
  superseded: null,
});

const groupRowsMax = 2048;
const groupBytesMax = 16 * 2 ** 20;

const columnNames = Object.keys(eventColumns) as readonly EventColumn[];

const required = { repetition_type: 'REQUIRED' } as const;
const optional = { repetition_type: 'OPTIONAL' } as const;
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

function elementsOf(name: EventColumn): readonly SchemaElement[] {
  switch (eventColumns[name]) {
    case 'bigint':
      return [{ name, type: 'INT64', ...required }];
    case 'timestamp':
      return [{ name, type: 'INT64', converted_type: 'TIMESTAMP_MICROS', ...required }];
    case 'integer':
      return [{ name, type: 'INT32', ...required }];
    case 'boolean':
      return [{ name, type: 'BOOLEAN', ...required }];
    case 'strings':
      return [
        { name, converted_type: 'LIST', num_children: 1, ...optional },
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
        { name: 'element', ...text, ...optional },
      ];
    default:
      return [{ name, ...text, ...optional }];
  }
}

const schemaOf = (hasSuperseded: boolean): SchemaElement[] => [
  { name: 'schema', num_children: columnNames.length + (hasSuperseded ? 2 : 1) },
  { name: '_row', type: 'INT32', ...required },
  ...columnNames.flatMap(elementsOf),
  ...(hasSuperseded ? [{ name: '_superseded_by', type: 'INT64', ...optional } as const] : []),
];

/** A row in the log. */
export interface LoggedRow extends RecordRef {
  /** Its number in its generation. */
  readonly row: number;
}

/** The entry for threads of the engine, which load `read/reader-module`. */
export const run = (request: unknown): Promise<void> => writeRowsFile(request as RowsFileRequest);

/** @throws DamagedLog, or an error of the file system; a part of the file may exist then */
export async function writeRowsFile(request: RowsFileRequest): Promise<void> {
  const file = await openRowsFile(request.file, request.superseded !== null);
  const supersededBy = endsByRow(request.superseded);
  try {
    for await (const rows of readRecords(request))
      for (const { row, frame, start } of rows) {
        file.add({ row, frame, start, supersededBy: supersededBy.get(row) ?? null });
        if (file.isFull()) await file.write();
      }
    await file.finish();
  } finally {
    await file.close();
  }
}

/** The transaction that superseded each row, by row number. */
export const endsByRow = (superseded: RowsFileRequest['superseded']): ReadonlyMap<number, bigint> =>
  new Map(superseded && Array.from(superseded.rows, (row, at) => [row, superseded.byXactIds[at]!]));

/** A row of a file. */
export interface FileRow extends LoggedRow {
  readonly supersededBy: bigint | null;
}

export interface RowsFile {
  /** Adds a row. Rows must be added in the order of their numbers. */
  add(row: FileRow): void;
  /** Whether the added rows fill a row group. If so, `write` has to be called. */
  isFull(): boolean;
  write(): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

const magic = 0x31524150;

/** @param hasSuperseded whether the file has a column `_superseded_by` */
export async function openRowsFile(path: string, hasSuperseded: boolean): Promise<RowsFile> {
  const file = await open(path, 'w');
  const out = new ByteWriter(firstBytes);
  out.appendUint32(magic);
  const groups: RowGroup[] = [];
  let rows: FileRow[] = [];
  let bytes = 0;
  const flush = async () => {
    await file.writeFile(out.getBytes());
    out.index = 0;
  };
  const write = async () => {
    groups.push(rowGroupOf(writeColumns(out, rows, hasSuperseded), rows.length));
    rows = [];
    bytes = 0;
    await flush();
  };
  return {
    add: (row) => {
      rows.push(row);
      bytes += recordBytes(row.frame, row.start);
    },
    isFull: () => rows.length === groupRowsMax || bytes >= groupBytesMax,
    write,
    finish: async () => {
      if (rows.length > 0) await write();
      const total = groups.reduce((sum, { num_rows: count }) => sum + count, 0n);
      const schema = schemaOf(hasSuperseded);
      writeMetadata(out, {
        version: 2,
        schema,
        num_rows: total,
        row_groups: groups,
        metadata_length: 0,
      });
      out.appendUint32(magic);
      await flush();
    },
    close: () => file.close(),
  };
}

const firstBytes = 2 ** 20;

function rowGroupOf(columns: ColumnChunk[], rows: number): RowGroup {
  const bytes = columns.reduce((sum, { meta_data: of }) => sum + of!.total_compressed_size, 0n);
  return { columns, total_byte_size: bytes, num_rows: BigInt(rows), total_compressed_size: bytes };
}

/** The requested rows in the order of the log, a frame at a time. */
export async function* readRecords(
  request: RowsFileRequest,
): AsyncGenerator<readonly LoggedRow[], void, void> {
  const { log, source, from, to, firstRow, endRow } = request;
  let row = from.firstRow;
  for await (const { head, bytes: frame } of readFrames(log, source, { from: from.offset, to })) {
    const rows: LoggedRow[] = [];
    for (const start of recordStarts(frame, head)) {
      if (row >= firstRow && row < endRow) rows.push({ row, frame, start });
      row += 1;
    }
    yield rows;
    if (row >= endRow) return;
  }
}

function writeColumns(
  out: ByteWriter,
  rows: readonly FileRow[],
  hasSuperseded: boolean,
): ColumnChunk[] {
  const chunks = [writeNumbers(out, '_row', rows, (index) => rows[index]!.row)];
  const texts = textRanges(rows);
  for (const name of columnNames) {
    const ranges = texts[textColumns.indexOf(name)]!;
    switch (eventColumns[name]) {
      case 'bigint':
      case 'timestamp':
        chunks.push(writeInt64s(out, name as Int64Column, rows));
        break;
      case 'integer':
        chunks.push(writeNumbers(out, name, rows, (index) => positionOf(rows[index]!)));
        break;
      case 'boolean':
        chunks.push(writeBooleans(out, name as BooleanColumn, rows));
        break;
      case 'strings':
        chunks.push(writeLists(out, name, rows, ranges));
        break;
      default:
        chunks.push(writeTexts(out, name, rows, ranges));
    }
  }
  if (hasSuperseded) {
    const ends = rows.map(({ supersededBy }) => supersededBy);
    chunks.push(writeOptionalInt64s(out, '_superseded_by', ends));
  }
  return chunks;
}
