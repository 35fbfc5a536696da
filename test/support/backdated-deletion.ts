// A project that was deleted long ago, for tests of its purge.
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';

/** Sets the time of the deletion of a project to 2026-01-01. No server may use the directory. */
export async function backdateDeletion(dataDirectory: string, projectId: string): Promise<void> {
  const writer = await Writer.open(path.join(dataDirectory, 'meta.duckdb'), {
    memoryMb: 256,
    threads: 1,
  });
  await writer.transaction((connection) =>
    connection.run(sql`
      UPDATE catalog_object SET body = regexp_replace(body, '"deleted_at":"[^"]*"', '"deleted_at":"2026-01-01T00:00:00Z"')
      WHERE id = ${projectId}`),
  );
  await writer.close();
}
