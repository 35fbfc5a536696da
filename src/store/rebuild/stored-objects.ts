// Lists the objects that the stored rows belong to.
import type { Connection } from '../../duckdb/connection.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventObject } from '../../schema/event-row.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';

/** The objects, ordered by their oldest rows. `buffered` is a table of rows. */
export async function storedObjects(
  connection: Connection,
  files: SegmentFiles,
  segments: readonly Segment[],
  buffered: Sql,
): Promise<readonly EventObject[]> {
  const branches = [...segments.map((segment) => readSegment(files.rows(segment))), buffered].map(
    (rows) => sql`SELECT object_kind, object_id, project_id, org_id, _xact_id FROM ${rows}`,
  );
  const rows = await connection.read(sql`
    SELECT object_kind, object_id, first(project_id) AS project_id, first(org_id) AS org_id,
      min(_xact_id) AS first_xact_id
    FROM (${join(branches, ' UNION ALL ')}) GROUP BY object_kind, object_id
    ORDER BY first_xact_id, object_id`);
  return rows.map((row) => ({
    kind: row['object_kind'] as EventObject['kind'],
    id: row['object_id'] as string,
    projectId: row['project_id'] as string,
    orgId: row['org_id'] as string,
  }));
}
