// Rows -> one segment: a sorted Parquet file with leaf columns, the narrow files, and the files of its index.
import type { Connection } from '../../duckdb/connection.js';
import { sql, word, type Sql } from '../../duckdb/sql.js';
import type { SegmentPaths } from '../../schema/event-relation.js';
import { writeDurably } from '../../durable-file.js';
import { fieldIds } from './field-ids.js';
import { writeIds } from './build-index.js';
import type { IdIndex } from './id-index.js';
import { writeNarrow } from './narrow-file.js';
import { readStats } from './segment-stats.js';
import type { SegmentStats } from './segment.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';
import { segmentFormatVersion } from './segment-format.js';
import { writeIndex } from './segment-index.js';
import { verifyOrder } from './segment-order.js';
import { segmentPathsToJson } from './segment-paths.js';
import { compression, type CompressionLevel } from './segment-table.js';

export interface SegmentSettings {
  /** Rows per row group, the smallest unit of a read. */
  readonly rowGroupRows: number;
  /** Segments with at least this many rows have a narrow file. */
  readonly narrowRowsMin: number;
  /** Paths per segment that get leaf columns. */
  readonly leafPathsMax: number;
}

export const defaultSegmentSettings: SegmentSettings = {
  rowGroupRows: 2048,
  narrowRowsMin: 20_480,
  leafPathsMax: 150,
};

export interface SegmentContents {
  /**
   * Parenthesised SELECT of the rows in the order of a segment: `_row`, all event columns, `_superseded_by` BIGINT, NULL when live,
   * `_input_hash`, and the leaf columns that `paths` names.
   */
  readonly rows: Sql;
  readonly rowCount: number;
  readonly paths: SegmentPaths;
  /** Whether some rows are so large that each chunk of the engine gets a row group of its own. */
  readonly hasLargeRows: boolean;
  readonly compressionLevel: CompressionLevel;
}

export interface SegmentRequest extends SegmentContents {
  readonly files: SegmentFiles;
  readonly name: SegmentName;
  readonly settings?: SegmentSettings;
}

export interface WrittenSegment {
  readonly stats: SegmentStats;
  readonly ids: IdIndex;
}

/** Rows of at least this size are large: those of one chunk of the engine fill a row group. */
export const largeRowBytes = 256 * 2 ** 10;

/**
 * Writes the files of a segment. They are durable when it resolves; when it rejects, none of them exists. The instance of
 * `connection` must have the functions of `row/scalar-functions`.
 * @throws EngineError, or SegmentOrderError when the rows of a file are not in the order of a segment
 */
export async function writeSegment(
  connection: Connection,
  request: SegmentRequest,
): Promise<WrittenSegment> {
  const { files, name, settings = defaultSegmentSettings } = request;
  const rows = files.rows(name);
  await files.prepare(name.projectId);
  try {
    await writeDurably(rows, (file) => connection.run(copy(request, settings, file)));
    const hasNarrow = request.rowCount >= settings.narrowRowsMin;
    const narrow = hasNarrow
      ? await writeNarrow(connection, files, name, request.compressionLevel)
      : [];
    await verifyOrder(connection, { rows, narrow });
    await writeDurably(files.index(name), (file) =>
      writeIndex(connection, hasNarrow ? narrow : [rows], file),
    );
    const stats = await readStats(connection, rows, narrow, request.paths);
    return { stats, ids: await writeIds(connection, files, name, stats.rows) };
  } catch (error) {
    await files.remove(name);
    throw error;
  }
}

/** The number of rows that the engine processes at a time. */
const chunkRows = 2048;

/** The value of `SegmentRequest.hasLargeRows` for a merge of these segments: true if it was true for one of them. */
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
  { rows, paths, hasLargeRows, compressionLevel }: SegmentRequest,
  { rowGroupRows }: SegmentSettings,
  path: string,
): Sql => sql`
  COPY (SELECT * FROM ${rows}) TO ${path} (
    FORMAT parquet, ${compression(compressionLevel)}, ROW_GROUP_SIZE ${word(hasLargeRows ? 1 : rowGroupRows)},
    KV_METADATA {evalstore_format: ${String(segmentFormatVersion)}, evalstore_paths: ${segmentPathsToJson(paths)}}${fieldIds(paths)})`;
