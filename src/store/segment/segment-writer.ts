// Rows -> one segment: a sorted Parquet file with leaf columns, the narrow one, and the index file beside them.
import { rm, stat } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { sql, word, type Sql } from '../../duckdb/sql.js';
import type { SegmentPaths } from '../../schema/event-relation.js';
import { writeDurably } from './durable-file.js';
import { writeNarrow, type NarrowPaths } from './narrow-file.js';
import { readObjectFacts, type SegmentFacts } from './segment-facts.js';
import { segmentFormatVersion } from './segment-format.js';
import { writeIndex } from './segment-index.js';
import { verifyOrder } from './segment-order.js';
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

export interface SegmentRequest {
  /**
   * Parenthesised SELECT of the rows in the order of a segment: `_row`, all event columns, `_superseded_by` BIGINT, NULL when live,
   * `_input_hash`, and the leaf columns that `paths` names.
   */
  readonly rows: Sql;
  readonly rowCount: number;
  readonly paths: SegmentPaths;
  /** Some rows are so large that a row group ends with each chunk of the engine. */
  readonly hasLargeRows: boolean;
  readonly path: string;
  readonly narrowPaths: NarrowPaths;
  readonly indexPath: string;
  readonly settings?: SegmentSettings;
}

/** Of rows of this size, those of a chunk are too many for a row group. */
export const largeRowBytes = 256 * 2 ** 10;

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
  const { path, narrowPaths, indexPath } = request;
  await writeDurably(path, (file) => connection.run(copy(request, settings, file)));
  try {
    const hasNarrow = request.rowCount >= settings.narrowRowsMin;
    const written = { path, format: segmentFormatVersion };
    const narrow = hasNarrow ? await writeNarrow(connection, written, narrowPaths) : [];
    await verifyOrder(connection, { rows: path, narrow });
    await writeDurably(indexPath, (file) =>
      writeIndex(connection, hasNarrow ? narrow : [path], file),
    );
    return await readFacts(connection, request, narrow);
  } catch (error) {
    const files = [path, narrowPaths.live, narrowPaths.ended, indexPath];
    await Promise.all(files.map((file) => rm(file, { force: true })));
    throw error;
  }
}

/** What the engine works on at once. */
const chunkRows = 2048;

/** Whether a segment of the rows of these segments has `SegmentRequest.hasLargeRows`, as one of them had. */
export async function haveLargeRows(
  connection: Connection,
  files: readonly string[],
): Promise<boolean> {
  const [found] = await connection.read(sql`
    SELECT bool_or(num_row_groups > ceil(num_rows / ${word(chunkRows)})) AS large
    FROM parquet_file_metadata(${files})`);
  return found?.['large'] === true;
}

const copy = (
  { rows, paths, hasLargeRows }: SegmentRequest,
  { rowGroupRows }: SegmentSettings,
  path: string,
): Sql => sql`
  COPY (SELECT * FROM ${rows}) TO ${path} (
    FORMAT parquet, ${compression}, ROW_GROUP_SIZE ${word(hasLargeRows ? 1 : rowGroupRows)},
    KV_METADATA {evalstore_format: ${String(segmentFormatVersion)}, evalstore_paths: ${segmentPathsToJson(paths)}})`;

async function readFacts(
  connection: Connection,
  request: SegmentRequest,
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
    paths: request.paths,
    hasLossless: lossless?.['found'] === true,
    hasNarrow,
    hasEnded: narrow.length > 1,
  };
}
