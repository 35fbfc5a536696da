// Computes where each row version ends: at the next version of its id that is present. The ends that a segment records can
// be wrong, since the next version may be lost or may be newer than the segment.
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumnList } from '../row/event-table.js';
import type { MergedPaths } from '../segment/merged-paths.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment, takenColumns } from '../segment/segment-table.js';

/** Temporary table of (source, row, recorded, next): the rows whose segment says that they end at `recorded`, and end at `next`. */
const differing = sql`differing`;

const versionsIn = (source: number, rows: Sql, recorded: Sql): Sql => sql`
  SELECT ${word(source)} AS source, _row AS "row", object_id, id, _xact_id, ${recorded} AS recorded FROM ${rows}`;

/** `buffered` is the generation of the buffered rows, and their table. */
export async function compareVersions(
  connection: Connection,
  files: SegmentFiles,
  segments: readonly Segment[],
  buffered: { readonly source: number; readonly rows: Sql },
): Promise<void> {
  const versions = [
    ...segments.map((segment) =>
      versionsIn(segment.source, readSegment(files.rows(segment)), sql`_superseded_by`),
    ),
    versionsIn(buffered.source, buffered.rows, sql`NULL::BIGINT`),
  ];
  await connection.run(sql`
    CREATE TEMPORARY TABLE ${differing} AS SELECT source, "row", recorded, next FROM (
      SELECT source, "row", recorded,
        lead(_xact_id) OVER (PARTITION BY object_id, id ORDER BY _xact_id) AS next
      FROM (${join(versions, ' UNION ALL ')}))
    WHERE recorded IS DISTINCT FROM next`);
}

/** The segments that have to be rewritten: one of their rows ends where no version begins. */
export async function wrongSources(connection: Connection): Promise<ReadonlySet<number>> {
  const rows = await connection.read(
    sql`SELECT DISTINCT source FROM ${differing} WHERE recorded IS NOT NULL`,
  );
  return new Set(rows.map(({ source }) => source as number));
}

/** Writes (row, next) of those rows of a segment that differ to a Parquet file. */
export const exportEnds = (connection: Connection, source: number, file: string): Promise<void> =>
  connection.run(sql`
    COPY (SELECT "row", next FROM ${differing} WHERE source = ${word(source)})
    TO ${file} (FORMAT parquet)`);

/**
 * Parenthesised SELECT of the rows of a segment in their order with the ends that `exportEnds` wrote and its leaf columns. It holds for engine
 * instances with one thread, and fails should a row come out of its order.
 */
export function rowsWithEnds(
  segmentFile: string,
  rows: number,
  ends: string,
  { taken, names }: Pick<MergedPaths, 'taken' | 'names'>,
): Sql {
  return sql`(
  SELECT _row, ${eventColumnList}, ${takenColumns(taken, names[0]!)}
    CASE WHEN _row != place THEN CAST(error('rows are out of order') AS BIGINT)
      WHEN differs THEN next ELSE _superseded_by END AS _superseded_by,
    _input_hash
  FROM ${readSegment(segmentFile)} e POSITIONAL JOIN (
    SELECT place, "row" IS NOT NULL AS differs, next
    FROM range(0, ${word(rows)}) p(place)
    LEFT JOIN ${readParquet(ends)} ON "row" = place ORDER BY place) s)`;
}

/** The supersessions of the rows of all other sources. */
export const insertSupersessions = (
  connection: Connection,
  rewritten: ReadonlySet<number>,
): Promise<void> =>
  connection.run(sql`
    INSERT INTO supersession SELECT source, "row", next FROM ${differing}
    WHERE source NOT IN (SELECT unnest(${[...rewritten].map(String)}::INTEGER[]))`);
