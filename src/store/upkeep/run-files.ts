// The files that a merge reads one after the other. A run that its segment's file does not hold alone is copied out, so
// that one scan of a list of files gives the runs in their order: arms of a UNION ALL may be written in another one.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { segmentFormatVersion } from '../segment/segment-format.js';
import { readPositions, scanRows, type RowFile } from '../segment/segment-table.js';
import { runsMax, type RowRange, type RowRun } from './merge-order.js';

/** A file that has the rows of a run in their order, and perhaps others of the same segment. */
export interface RunFile extends RowRun {
  readonly file: RowFile;
}

/**
 * Ranges of row numbers, ascending, whose rows follow one another in the file; a file in order is one range. Null when there are
 * more than a merge can have runs.
 */
export async function rangesOf(
  connection: Connection,
  file: string,
  rows: number,
): Promise<readonly RowRange[] | null> {
  const starts = await connection.read(sql`
    SELECT _row FROM (
      SELECT _row, file_row_number - _row AS shift,
        lag(file_row_number - _row) OVER (ORDER BY _row) AS before
      FROM ${readPositions(file)})
    WHERE shift IS DISTINCT FROM before ORDER BY _row LIMIT ${BigInt(runsMax + 1)}`);
  if (starts.length > runsMax) return null;
  return starts.map(({ _row: first }, index) => ({
    firstRow: Number(first),
    lastRow: Number(starts[index + 1]?.['_row'] ?? rows) - 1,
  }));
}

/** The longest run of each segment is read where it is, the others from copies in `directory`. */
export async function writeRunFiles(
  connection: Connection,
  segments: readonly Segment[],
  runs: readonly RowRun[],
  files: SegmentFiles,
  directory: string,
): Promise<readonly RunFile[]> {
  const named = new Map(segments.map((segment) => [segment.source, files.rowFile(segment)]));
  const longest = new Set(segments.map(({ source }) => longestOf(runs, source)));
  const found: RunFile[] = [];
  for (const [index, run] of runs.entries()) {
    const file = named.get(run.source)!;
    const copy = {
      path: path.join(directory, `run-${index}.parquet`),
      format: segmentFormatVersion,
    };
    if (!longest.has(run)) await copyRun(connection, file, run, copy.path);
    found.push({ ...run, file: longest.has(run) ? file : copy });
  }
  return found;
}

const lengthOf = ({ firstRow, lastRow }: RowRange): number => lastRow - firstRow + 1;

const longestOf = (runs: readonly RowRun[], source: number): RowRun | undefined =>
  runs
    .filter((run) => run.source === source)
    .reduce<RowRun | undefined>(
      (best, run) => (best === undefined || lengthOf(run) > lengthOf(best) ? run : best),
      undefined,
    );

// Row groups are as small as those of a segment, since the rows of one are in memory together.
function copyRun(
  connection: Connection,
  file: RowFile,
  { firstRow, lastRow }: RowRange,
  copy: string,
): Promise<void> {
  const { columns, from } = scanRows([file]);
  return connection.run(sql`
    COPY (
      SELECT _row, ${columns}, _superseded_by, _input_hash FROM ${from}
      WHERE _row BETWEEN ${BigInt(firstRow)} AND ${BigInt(lastRow)}
    ) TO ${copy} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 2048)`);
}
