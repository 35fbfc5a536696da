// Copies rows of the log to an uncompressed Parquet file, which is read a few times and then removed. Runs in the thread of
// an engine instance, since it takes some microseconds of processor time per row.
import { fileWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import { recordStarts } from './frame.js';
import {
  readHead,
  readTexts,
  recordBytes,
  textColumns,
  valueOf,
  type RecordHead,
  type RecordPlace,
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
export interface LoggedRow extends RecordPlace {
  /** Its number in its generation. */
  readonly row: number;
}

/** The module that threads of the engine load, and its entry. */
export const rowsFileModule = new URL(import.meta.url);
export const run = (request: unknown): Promise<void> => writeRowsFile(request as RowsFileRequest);

/** @throws DamagedLog, or an error of the file system; a part of the file may exist then */
export async function writeRowsFile(request: RowsFileRequest): Promise<void> {
  const file = openRowsFile(request.file, request.superseded !== null);
  const supersededBy = supersessionsOf(request.superseded);
  for await (const { row, frame, start } of readRecords(request)) {
    file.add({
      row,
      head: readHead(frame, start),
      texts: readTexts(frame, start),
      bytes: recordBytes(frame, start),
      supersededBy: supersededBy.get(row) ?? null,
    });
    if (file.isFull()) await file.write();
  }
  await file.finish();
}

/** By row number. */
export const supersessionsOf = (
  superseded: RowsFileRequest['superseded'],
): ReadonlyMap<number, bigint> =>
  new Map(superseded && Array.from(superseded.rows, (row, at) => [row, superseded.byXactIds[at]!]));

/** A row of a file. */
export interface FileRow {
  readonly row: number;
  readonly head: RecordHead;
  /** In the order of `textColumns`. */
  readonly texts: readonly (Buffer | null)[];
  readonly bytes: number;
  readonly supersededBy: bigint | null;
}

export interface RowsFile {
  /** Adds a row. Rows must be added in the order of their numbers. */
  add(row: FileRow): void;
  /** Whether the added rows fill a row group. If so, `write` has to be called. */
  isFull(): boolean;
  write(): Promise<void>;
  finish(): Promise<void>;
}

/** @param hasSuperseded whether the file has a column `_superseded_by` */
export function openRowsFile(file: string, hasSuperseded: boolean): RowsFile {
  const parquet = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaOf(hasSuperseded),
    codec: 'UNCOMPRESSED',
    statistics: false,
  });
  let group: FileRow[] = [];
  let bytes = 0;
  const write = async () => {
    const columnData = columnsOf(group, hasSuperseded);
    group = [];
    bytes = 0;
    await parquet.write({ columnData, rowGroupSize: groupRowsMax });
  };
  return {
    add: (row) => {
      group.push(row);
      bytes += row.bytes;
    },
    isFull: () => group.length === groupRowsMax || bytes >= groupBytesMax,
    write,
    finish: async () => {
      if (group.length > 0) await write();
      await parquet.finish();
    },
  };
}

/** The requested rows in the order of the log. */
export async function* readRecords(
  request: RowsFileRequest,
): AsyncGenerator<LoggedRow, void, void> {
  const { log, source, from, to, firstRow, endRow } = request;
  let row = from.firstRow;
  for await (const { head, bytes: frame } of readFrames(log, source, { from: from.offset, to })) {
    for (const start of recordStarts(frame, head)) {
      if (row >= firstRow && row < endRow) yield { row, frame, start };
      row += 1;
    }
    if (row >= endRow) return;
  }
}

function columnsOf(rows: readonly FileRow[], hasSuperseded: boolean): ColumnSource[] {
  const numbers = rows.map(({ row }) => row);
  const columns: ColumnSource[] = [plain('_row', numbers)];
  for (const name of columnNames) columns.push(plain(name, valuesOf(name, rows)));
  if (hasSuperseded) {
    const ends = rows.map(({ supersededBy }) => supersededBy);
    columns.push(plain('_superseded_by', ends));
  }
  return columns;
}

const plain = (name: string, data: ColumnSource['data']): ColumnSource => ({
  name,
  data,
  encoding: 'PLAIN',
});

const headValues: Partial<Record<EventColumn, (head: RecordHead) => bigint | number | boolean>> = {
  _xact_id: ({ xactId }) => xactId,
  _position: ({ position }) => position,
  _deleted: ({ deleted }) => deleted,
  _lossless: ({ lossless }) => lossless,
  created: ({ created }) => created,
  is_root: ({ isRoot }) => isRoot,
};

function valuesOf(name: EventColumn, rows: readonly FileRow[]): ColumnSource['data'] {
  const ofHead = headValues[name];
  if (ofHead !== undefined) return rows.map(({ head }) => ofHead(head));
  const index = textColumns.indexOf(name);
  return eventColumns[name] === 'strings'
    ? rows.map(({ texts }) => valueOf(index, texts[index]!))
    : rows.map(({ texts }) => texts[index]!);
}
