// The rows of the former write buffer that no segment has, in one generation that the next start moves to segments.
import type { Connection } from '../../duckdb/connection.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { bufferTable, createBuffer, eventColumnList } from '../event-table.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';

export interface BufferedRows {
  readonly rows: number;
  /** Transactions of the rows; 0 when there are none. */
  readonly firstXactId: bigint;
  readonly lastXactId: bigint;
  /** Rows older than segments of their project: they were in segments that are lost, and are not taken over. */
  readonly left: number;
}

const unionAll = (arms: readonly Sql[]): Sql => join(arms, ' UNION ALL ');

/** Replaces the generations by the tables of `source`, which gets the rows. */
export async function moveBuffered(
  connection: Connection,
  files: SegmentFiles,
  segments: readonly Segment[],
  source: number,
): Promise<BufferedRows> {
  const generations = await connection.read(sql`SELECT source FROM buffer_generation`);
  const tables = generations.map((row) => bufferTable(row['source'] as number));
  await connection.run(createBuffer(source));
  await connection.run(sql`CREATE TEMPORARY TABLE kept AS FROM ${bufferTable(source)}`);
  if (tables.length > 0)
    await connection.run(sql`
      INSERT INTO kept SELECT b.* FROM (${unionAll(tables.map((table) => sql`FROM ${table}`))}) b
      ANTI JOIN ${keysOf(files, segments)} s USING (object_id, id, _xact_id)`);
  const left = await removeOlder(connection, segments);
  await connection.run(sql`
    INSERT INTO ${bufferTable(source)}
    SELECT CAST(row_number() OVER (ORDER BY _xact_id, _position, id) - 1 AS INTEGER), ${eventColumnList}
    FROM kept ORDER BY _xact_id, _position, id`);
  for (const table of tables) await connection.run(sql`DROP TABLE ${table}`);
  const [found] = await connection.read(sql`
    SELECT count(*) AS n, coalesce(min(_xact_id), 0) AS first, coalesce(max(_xact_id), 0) AS last FROM kept`);
  return {
    rows: Number(found?.['n']),
    firstXactId: found?.['first'] as bigint,
    lastXactId: found?.['last'] as bigint,
    left,
  };
}

function keysOf(files: SegmentFiles, segments: readonly Segment[]): Sql {
  const arms = segments.map(
    (segment) => sql`SELECT object_id, id, _xact_id FROM ${readSegment(files.rows(segment))}`,
  );
  return arms.length === 0
    ? sql`(SELECT object_id, id, _xact_id FROM kept)`
    : sql`(${unionAll(arms)})`;
}

/** How many there were. */
async function removeOlder(connection: Connection, segments: readonly Segment[]): Promise<number> {
  const lasts = new Map<string, bigint>();
  for (const { projectId, lastXactId } of segments)
    if (lastXactId > (lasts.get(projectId) ?? 0n)) lasts.set(projectId, lastXactId);
  const [projects, xactIds] = [[...lasts.keys()], [...lasts.values()].map(String)];
  const removed = await connection.read(sql`
    DELETE FROM kept USING (
      SELECT unnest(${projects}::VARCHAR[]) AS project, unnest(${xactIds}::BIGINT[]) AS last) p
    WHERE project_id = project AND _xact_id <= last RETURNING 1`);
  return removed.length;
}
