// Removes at the start what an earlier process wrote and never published, or unpublished and never removed.
import { rm } from 'node:fs/promises';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import { bufferTable } from '../event-table.js';
import type { SegmentFiles } from '../segment/segment-files.js';

const listedSources = sql`SELECT source FROM buffer_generation UNION ALL SELECT source FROM segment`;

/** Buffer tables, supersessions and segment files that belong to no listed source. */
export async function removeLeftovers(writer: Writer, files: SegmentFiles): Promise<void> {
  const tables = await writer.read(sql`
    SELECT substr(table_name, 8)::INTEGER AS source FROM duckdb_tables()
    WHERE regexp_matches(table_name, '^buffer_[0-9]+$') AND database_name = current_database()
      AND source NOT IN (SELECT source FROM buffer_generation)`);
  await writer.transaction(async (connection) => {
    for (const { source } of tables)
      await connection.run(sql`DROP TABLE ${bufferTable(source as number)}`);
    await connection.run(sql`DELETE FROM supersession WHERE source NOT IN (${listedSources})`);
  });
  const segments = await writer.read(sql`SELECT source, project_id FROM segment`);
  const orphans = await files.orphans(
    segments.map((row) => ({
      source: row['source'] as number,
      projectId: row['project_id'] as string,
    })),
  );
  await Promise.all(orphans.map((file) => rm(file, { force: true })));
}

/** The first number that no source has had. */
export async function firstFreeSource(writer: Writer): Promise<number> {
  const [row] = await writer.read(sql`SELECT max(source) AS last FROM (${listedSources})`);
  return Number(row?.['last'] ?? 0) + 1;
}
