// Rows of the log -> a Parquet file of them, uncompressed, since it is read a few times and removed. Runs in the thread of an
// engine instance: it keeps a processor busy for some microseconds a row.
import { fileWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import { recordStarts } from './frame.js';
import { readHead, readTexts, textColumns, valueOf, type RecordHead } from './record.js';
import { readFrames, type LogContent } from './read-log.js';

/** Which rows of which log; it can be posted to a thread. */
export interface RowsOrder {
  readonly log: string;
  readonly source: number;
  /** Where the frame with the first row begins, and the number of that frame's first row. */
  readonly from: { readonly offset: number; readonly firstRow: number };
  /** Where the last frame of the log ends. */
  readonly to: number;
  readonly firstRow: number;
  /** Without this one. */
  readonly endRow: number;
  /** Where the file is to be. */
  readonly file: string;
  /** Null: the file has no column `_superseded_by`. Else the rows that were superseded, and by what. */
  readonly ended: { readonly rows: Int32Array; readonly byXactIds: BigInt64Array } | null;
}

/** All rows of a log that no server has open, which `inspectLog` has found. */
export const wholeLog = (
  log: string,
  source: number,
  { rows, end }: Pick<LogContent, 'rows' | 'end'>,
  file: string,
): RowsOrder => ({
  log,
  source,
  from: { offset: 0, firstRow: 0 },
  to: end,
  firstRow: 0,
  endRow: rows,
  file,
  ended: null,
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

const schemaOf = (hasEnded: boolean): SchemaElement[] => [
  { name: 'schema', num_children: columnNames.length + (hasEnded ? 2 : 1) },
  { name: '_row', type: 'INT32', ...required },
  ...columnNames.flatMap(elementsOf),
  ...(hasEnded ? [{ name: '_superseded_by', type: 'INT64', ...optional } as const] : []),
];

/** A row group that is being filled. */
interface Group {
  readonly rows: number[];
  readonly heads: RecordHead[];
  readonly texts: (Buffer | null)[][];
  bytes: number;
}

const emptyGroup = (): Group => ({ rows: [], heads: [], texts: [], bytes: 0 });

/** What threads of the engine load, and its entry. */
export const rowsFileModule = new URL(import.meta.url);
export const run = (order: unknown): Promise<void> => writeRowsFile(order as RowsOrder);

/** @throws DamagedLog, or an error of the file system; there may be a part of the file then */
export async function writeRowsFile(order: RowsOrder): Promise<void> {
  const { ended, file } = order;
  const parquet = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaOf(ended !== null),
    codec: 'UNCOMPRESSED',
    statistics: false,
  });
  const endedBy =
    ended && new Map(Array.from(ended.rows, (row, at) => [row, ended.byXactIds[at]!]));
  let group = emptyGroup();
  const write = () => {
    const columnData = columnsOf(group, endedBy);
    group = emptyGroup();
    return parquet.write({ columnData, rowGroupSize: groupRowsMax });
  };
  for await (const { row, frame, start, bytes } of recordsOf(order)) {
    group.rows.push(row);
    group.heads.push(readHead(frame, start));
    group.texts.push(readTexts(frame, start));
    group.bytes += bytes;
    if (group.rows.length === groupRowsMax || group.bytes >= groupBytesMax) await write();
  }
  if (group.rows.length > 0) await write();
  await parquet.finish();
}

interface FoundRecord {
  readonly row: number;
  readonly frame: Buffer;
  readonly start: number;
  readonly bytes: number;
}

async function* recordsOf(order: RowsOrder): AsyncGenerator<FoundRecord, void, void> {
  const { log, source, from, to, firstRow, endRow } = order;
  let row = from.firstRow;
  for await (const { head, bytes: frame } of readFrames(log, source, { from: from.offset, to })) {
    for (const start of recordStarts(frame, head)) {
      const bytes = frame.readUInt32LE(start);
      if (row >= firstRow && row < endRow) yield { row, frame, start, bytes };
      row += 1;
    }
    if (row >= endRow) return;
  }
}

function columnsOf(group: Group, endedBy: ReadonlyMap<number, bigint> | null): ColumnSource[] {
  const columns: ColumnSource[] = [plain('_row', group.rows)];
  for (const name of columnNames) columns.push(plain(name, valuesOf(name, group)));
  if (endedBy !== null)
    columns.push(
      plain(
        '_superseded_by',
        group.rows.map((row) => endedBy.get(row) ?? null),
      ),
    );
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

function valuesOf(name: EventColumn, { heads, texts }: Group): ColumnSource['data'] {
  const ofHead = headValues[name];
  if (ofHead !== undefined) return heads.map(ofHead);
  const index = textColumns.indexOf(name);
  return eventColumns[name] === 'strings'
    ? texts.map((row) => valueOf(index, row[index]!))
    : texts.map((row) => row[index]!);
}
