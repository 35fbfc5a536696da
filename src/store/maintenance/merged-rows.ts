// SQL for the rows of a merge: as runs in a known order, or sorted.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumnList } from '../row/event-table.js';
import { withLeaves } from '../segment/leaf-columns.js';
import { rowOrder } from '../segment/segment-order.js';
import { readSegment, readUnlikeSegments, takenColumns } from '../segment/segment-table.js';
import type { RowRun } from './merge-order.js';
import type { MergeSources, RunFile } from './run-files.js';

/** Parenthesised SELECT of the rows for `writeSegment`, sorted by one statement. */
export const sortedRows = (sources: MergeSources): Sql =>
  withLeaves(
    sql`(SELECT CAST(row_number() OVER () - 1 AS INTEGER) AS _row, * EXCLUDE (_source_row, is_removed)
      FROM (SELECT * FROM ${unorderedRows(sources)} WHERE NOT is_removed ORDER BY ${rowOrder}))`,
    sources.merged.extracted,
  );

/** The number of each row in the sorted segment, removed rows included, by `_source_row`. */
export async function sortedNewRows(
  connection: Connection,
  sources: MergeSources,
): Promise<Int32Array> {
  const newRows = new Int32Array(sources.segments.reduce((sum, { rows }) => sum + rows, 0));
  const sorted = sql`SELECT _source_row FROM ${unorderedRows(sources)} ORDER BY ${rowOrder}`;
  let next = 0;
  for await (const chunk of connection.stream(sorted))
    for (const [source] of chunk) newRows[Number(source)] = next++;
  return newRows;
}

/** Parenthesised SELECT of the event columns of the rows, `_superseded_by`, `_input_hash`, the taken leaf columns, `_source_row` and `is_removed`. */
const unorderedRows = ({
  segments,
  inputs,
  files,
  supersessions,
  merged,
  removed,
}: MergeSources): Sql =>
  sql`(${join(
    segments.map(
      (segment, index) => sql`
        SELECT ${eventColumnList}, coalesce(_superseded_by, by_xact_id) AS _superseded_by, _input_hash,
          ${takenColumns(merged.taken, merged.names[index]!)}
          (_row + ${word(inputs[index]!.firstRow)})::INTEGER AS _source_row,
          _row IN (SELECT "row" FROM ${removed.table} WHERE source = ${word(segment.source)}) AS is_removed
        FROM ${readSegment(files.rows(segment))}
        LEFT JOIN (
          SELECT "row" AS _row, by_xact_id FROM ${supersessions}
          WHERE source = ${word(segment.source)}
        ) s USING (_row)`,
    ),
    ' UNION ALL ',
  )})`;

/** SQL: the number in the list for the file from which the row is read. */
const ofRun = (numbers: readonly number[]): Sql =>
  sql`list_extract([${join(numbers.map(word))}], (file_index + 1)::BIGINT)`;

/**
 * Parenthesised SELECT of the rows in the order of `runs`, with their new `_row` and `_superseded_by`. One scan reads the files of
 * the list in order. Supersessions are joined by position, since a join by value does not keep the order. `writeSegment` verifies
 * that `_row` is the position in the written file, so a wrong order is detected.
 */
export function rowsInOrder(sources: MergeSources, runs: readonly RunFile[]): Sql {
  const { taken, extracted } = sources.merged;
  const runFiles = runs.map(({ file }) => file);
  const isUnlike = runs.some(({ lacksColumns }) => lacksColumns);
  const from = isUnlike ? readUnlikeSegments(runFiles) : readSegment(runFiles);
  const leaves = join(
    taken.map(({ name }) => sql`, ${identifier(name)}`),
    '',
  );
  return withLeaves(
    sql`(
    SELECT (e.new_row - s.removed_before)::INTEGER AS _row, ${eventColumnList}, coalesce(recorded, by_xact_id) AS _superseded_by, _input_hash${leaves}
    FROM (
      SELECT (_row + ${ofRun(runs.map(({ newRow, firstRow }) => newRow - firstRow))})::INTEGER AS new_row,
        ${eventColumnList}, _superseded_by AS recorded, _input_hash${leaves}
      FROM ${from}
      WHERE _row BETWEEN ${ofRun(runs.map(({ firstRow }) => firstRow))}
        AND ${ofRun(runs.map(({ lastRow }) => lastRow))}
    ) e POSITIONAL JOIN ${newRowsIn(sources, runs)} s
    WHERE NOT s.is_removed)`,
    extracted,
  );
}

/**
 * Parenthesised SELECT of (by_xact_id, is_removed, removed_before), one row per row of the inputs in the order of `runs`.
 * `removed_before` is the number of removed rows before it.
 */
function newRowsIn(
  { segments, supersessions, removed }: MergeSources,
  runs: readonly RowRun[],
): Sql {
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const ranges = join(
    runs.map(
      ({ source, firstRow, lastRow, newRow }) =>
        sql`(${word(source)}, ${word(firstRow)}, ${word(lastRow)}, ${word(newRow)})`,
    ),
  );
  const placed = (table: Sql, columns: Sql) => sql`(
      SELECT t."row" - first_row + r.new_row AS new_row${columns}
      FROM ${table} t JOIN (VALUES ${ranges}) r(source, first_row, last_row, new_row)
      ON t.source = r.source AND t."row" BETWEEN first_row AND last_row)`;
  const ended = placed(supersessions, sql`, by_xact_id`);
  const every = sql`range(0, ${word(rows)}) p(new_row) LEFT JOIN ${ended} s USING (new_row)`;
  if (removed.count === 0)
    return sql`(SELECT by_xact_id, FALSE AS is_removed, 0 AS removed_before FROM ${every} ORDER BY new_row)`;
  return sql`(
    SELECT by_xact_id, gone IS NOT NULL AS is_removed,
      count(gone) OVER (ORDER BY new_row ROWS UNBOUNDED PRECEDING) AS removed_before
    FROM ${every} LEFT JOIN ${placed(removed.table, sql`, TRUE AS gone`)} g USING (new_row) ORDER BY new_row)`;
}
