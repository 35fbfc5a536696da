// Rows -> one segment: a sorted Parquet file with leaf columns, the narrow one, and the index file beside them.
import { rm, stat } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import type { SegmentPaths } from '../../schema/event-relation.js';
import { writeDurably } from './durable-file.js';
import { eventColumnList, rowBytes } from '../event-table.js';
import { inputHash } from './input-hash.js';
import { withLeaves } from './leaf-columns.js';
import { takeInventories } from './column-inventories.js';
import { listedColumns, selectLeaves, type LeafSelection } from './leaf-selection.js';
import { writeNarrow, type NarrowPaths } from './narrow-file.js';
import { readObjectFacts, type SegmentFacts } from './segment-facts.js';
import { segmentFormatVersion } from './segment-format.js';
import { writeIndex } from './segment-index.js';
import { rowOrder, verifyOrder } from './segment-order.js';
import { segmentPathsToJson } from './segment-paths.js';
import { compression, readSegment } from './segment-table.js';

export interface SegmentSettings {
  /** Rows per row group: the least that is read of a column. */
  readonly rowGroupRows: number;
  /** Segments of so many rows have a narrow file. */
  readonly narrowRowsMin: number;
  /** Paths per segment that get leaf columns. */
  readonly leafPathsMax: number;
}

export const defaultSegmentSettings: SegmentSettings = {
  rowGroupRows: 2048,
  narrowRowsMin: 20_480,
  leafPathsMax: 150,
};

/** Rows whose order is known need no sorting: sorting whole rows takes the memory of all of them. */
export interface OrderedRows {
  /** Parenthesised SELECT of the rows of the request in the order of a segment, with their `_row` and `_input_hash`. */
  readonly rows: Sql;
  /** What `SegmentFacts.rowMap` is to be. */
  readonly map: Int32Array;
}

export interface SegmentRequest {
  /**
   * Parenthesised SELECT with all event columns and, to be sorted, `_superseded_by` BIGINT, NULL when live. It is
   * read several times and has to give the same rows every time.
   */
  readonly rows: Sql;
  readonly path: string;
  readonly narrowPaths: NarrowPaths;
  readonly indexPath: string;
  readonly settings?: SegmentSettings;
  /** `rows` has a column `_source_row` INTEGER, and the facts are to have the row map. */
  readonly mapsRows?: boolean;
  /** `rows` has a column `_input_hash` from an earlier segment. */
  readonly hasInputHash?: boolean;
  /** Without it `rows` are sorted. */
  readonly ordered?: OrderedRows;
  /** The paths of segments whose rows may be alike: when they are, writing takes less time. */
  readonly alike?: readonly SegmentPaths[];
}

/**
 * When it resolves all files are durable under their names, when it fails there is none. The instance of `connection` needs the
 * functions of `json-functions.ts`.
 * @throws EngineError, or SegmentOrderError when the rows of a file are not in the order of a segment
 */
export async function writeSegment(
  connection: Connection,
  request: SegmentRequest,
): Promise<SegmentFacts> {
  const settings = request.settings ?? defaultSegmentSettings;
  const selection = await select(connection, request, settings);
  await writeDurably(request.path, (path) =>
    connection.run(copy(request, selection, settings, path)),
  );
  const { path, narrowPaths, indexPath } = request;
  try {
    const hasNarrow = selection.rows >= settings.narrowRowsMin;
    const written = { path, format: segmentFormatVersion };
    const narrow = hasNarrow ? await writeNarrow(connection, written, narrowPaths) : [];
    await verifyOrder(connection, { rows: path, narrow });
    await writeDurably(indexPath, (file) =>
      writeIndex(connection, hasNarrow ? narrow : [path], file),
    );
    return await readFacts(connection, request, selection, narrow);
  } catch (error) {
    const files = [path, narrowPaths.live, narrowPaths.ended, indexPath];
    await Promise.all(files.map((file) => rm(file, { force: true })));
    throw error;
  }
}

async function select(
  connection: Connection,
  { rows, alike = [] }: SegmentRequest,
  { leafPathsMax }: SegmentSettings,
): Promise<CountedSelection> {
  const found = await columnsWithObjects(connection, rows);
  const inventories = await takeInventories(connection, { rows, ...found, leafPathsMax, alike });
  const { rowCount, largestBytes } = found;
  return { ...selectLeaves(inventories, leafPathsMax), rows: rowCount, largestBytes };
}

interface CountedSelection extends LeafSelection {
  readonly rows: number;
  readonly largestBytes: number;
}

/** Of rows of this size, the 2,048 that the engine works on at once are too many for a row group. */
const largeRowBytes = 256 * 2 ** 10;

async function columnsWithObjects(
  connection: Connection,
  rows: Sql,
): Promise<{
  readonly rowCount: number;
  readonly largestBytes: number;
  readonly columns: ReadonlySet<JsonColumn>;
}> {
  const found = listedColumns.map(
    (column) => sql`bool_or(starts_with(${identifier(column)}, '{')) AS ${identifier(column)}`,
  );
  const [row] = await connection.read(
    sql`SELECT count(*) AS "row count", max(${rowBytes}) AS "largest", ${join(found)} FROM ${rows}`,
  );
  return {
    rowCount: Number(row?.['row count'] ?? 0),
    largestBytes: Number(row?.['largest'] ?? 0),
    columns: new Set(listedColumns.filter((column) => row?.[column] === true)),
  };
}

function copy(
  request: SegmentRequest,
  { leaves, paths, largestBytes }: CountedSelection,
  settings: SegmentSettings,
  path: string,
): Sql {
  // A group then ends with each chunk, and what is read from earlier segments comes in their groups.
  const groupRows = largestBytes < largeRowBytes ? settings.rowGroupRows : 1;
  const rows = request.ordered?.rows ?? sorted(request);
  return sql`
    COPY (SELECT * FROM ${withLeaves(rows, leaves)}) TO ${path} (
      FORMAT parquet, ${compression}, ROW_GROUP_SIZE ${word(groupRows)},
      KV_METADATA {evalstore_format: ${String(segmentFormatVersion)}, evalstore_paths: ${segmentPathsToJson(paths)}})`;
}

function sorted({ rows, hasInputHash }: SegmentRequest): Sql {
  const hash = hasInputHash === true ? identifier('_input_hash') : inputHash;
  return sql`(SELECT CAST(row_number() OVER () - 1 AS INTEGER) AS _row, *
    FROM (SELECT ${eventColumnList}, _superseded_by, ${hash} AS _input_hash FROM ${rows} ORDER BY ${rowOrder}))`;
}

async function readFacts(
  connection: Connection,
  request: SegmentRequest,
  { paths }: LeafSelection,
  narrow: readonly string[],
): Promise<SegmentFacts> {
  const hasNarrow = narrow.length > 0;
  const narrowest = hasNarrow ? narrow : request.path;
  const objects = await readObjectFacts(connection, narrowest);
  const [lossless] = await connection.read(
    sql`SELECT coalesce(bool_or(_lossless), FALSE) AS found FROM ${readSegment(narrowest)}`,
  );
  return {
    rows: objects.reduce((sum, { rows }) => sum + rows, 0),
    bytes: (await stat(request.path)).size,
    indexBytes: (await stat(request.indexPath)).size,
    objects,
    paths,
    hasLossless: lossless?.['found'] === true,
    hasNarrow,
    hasEnded: narrow.length > 1,
    rowMap: request.mapsRows === true ? await rowMapOf(connection, request) : null,
  };
}

async function rowMapOf(
  connection: Connection,
  { rows, ordered }: SegmentRequest,
): Promise<Int32Array> {
  if (ordered !== undefined) return ordered.map;
  const [last] = await connection.read(sql`SELECT max(_source_row) AS "row" FROM ${rows}`);
  const map = new Int32Array(Number(last?.['row'] ?? -1) + 1).fill(-1);
  const sorted = sql`SELECT _source_row FROM ${rows} ORDER BY ${rowOrder}`;
  let next = 0;
  for await (const chunk of connection.stream(sorted))
    for (const [source] of chunk) map[Number(source)] = next++;
  return map;
}
