// The list of files that a merge scans. A run that is not a file of its own is copied to one, since one scan of a list
// keeps its order and the branches of a UNION ALL do not.
import { join } from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { MergedPaths } from '../segment/merged-paths.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment, takenColumns } from '../segment/segment-table.js';
import { eventColumnList } from '../row/event-table.js';
import type { RowsBetween } from '../row/row-range.js';
import type { RowRun } from './merge-order.js';
import type { RemovedRows } from './removed-rows.js';
import type { SegmentInput } from './segment-outputs.js';

/** What a merge reads. */
export interface MergeSources {
  readonly segments: readonly Segment[];
  readonly inputs: readonly SegmentInput[];
  readonly files: SegmentFiles;
  /** Table of (source, row, by_xact_id): the supersessions since the segments were written. */
  readonly supersessions: Sql;
  readonly removed: Pick<RemovedRows, 'table' | 'count'>;
  /** Of the segments, in their order. */
  readonly merged: MergedPaths;
}

/** A run, and a file that has its rows in order and perhaps others of the same segment. */
export interface RunFile extends RowRun {
  readonly file: string;
  /** Whether it lacks some of the leaf columns that the merged segment takes over. */
  readonly lacksColumns: boolean;
}

/**
 * Returns a file for each run. The longest run of a segment is read from the segment, unless its leaf columns have other names.
 * The others are copied to `directory`.
 */
export async function writeRunFiles(
  connection: Connection,
  { segments, files, merged }: Pick<MergeSources, 'segments' | 'files' | 'merged'>,
  runs: readonly RowRun[],
  directory: string,
): Promise<readonly RunFile[]> {
  const bySource = new Map(
    segments.map((segment, index) => {
      const names = merged.names[index]!;
      const inPlace = hasNames(segment, merged, names)
        ? longestOf(runs, segment.source)
        : undefined;
      return [segment.source, { file: files.rows(segment), names, inPlace }];
    }),
  );
  const found: RunFile[] = [];
  for (const [index, run] of runs.entries()) {
    const { file, names, inPlace } = bySource.get(run.source)!;
    const lacksColumns = run === inPlace && names.size < merged.taken.length;
    if (run === inPlace) {
      found.push({ ...run, file, lacksColumns });
      continue;
    }
    const copy = join(directory, `run-${index}.parquet`);
    await copyRun(connection, file, run, takenColumns(merged.taken, names), copy);
    found.push({ ...run, file: copy, lacksColumns });
  }
  return found;
}

/** Whether the leaf columns that are taken over have the same names in this segment, and no other column has one of these names. */
function hasNames(
  { paths }: Segment,
  { taken }: MergedPaths,
  names: ReadonlyMap<string, string>,
): boolean {
  const wanted = new Map(taken.map(({ name }) => [name.toLowerCase(), name]));
  const own = Object.values(paths).flatMap(({ leaves }) =>
    [...leaves.values()].flatMap((columns) =>
      Object.values(columns).filter((name) => name !== null),
    ),
  );
  return (
    [...names].every(([name, ownName]) => name === ownName) &&
    own.every((name) => {
      const same = wanted.get(name.toLowerCase());
      return same === undefined || names.get(same) === name;
    })
  );
}

const lengthOf = ({ firstRow, lastRow }: RowsBetween): number => lastRow - firstRow + 1;

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
  file: string,
  { firstRow, lastRow }: RowsBetween,
  leaves: Sql,
  copy: string,
): Promise<void> {
  return connection.run(sql`
    COPY (
      SELECT ${leaves}_row, ${eventColumnList}, _superseded_by, _input_hash FROM ${readSegment(file)}
      WHERE _row BETWEEN ${BigInt(firstRow)} AND ${BigInt(lastRow)}
    ) TO ${copy} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 2048)`);
}
