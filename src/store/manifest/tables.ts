// What the manifest has of the Iceberg tables of projects.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';

/** A table as the manifest has it. */
export interface StoredTable {
  /** JSON: the metadata that readers get. */
  readonly metadata: string;
  /** JSON: what the server needs besides. */
  readonly files: string;
}

type Reader = Pick<WriteConnection, 'read'>;

export async function readTableFiles(
  connection: Reader,
): Promise<ReadonlyMap<string, StoredTable['files']>> {
  const rows = await connection.read(sql`SELECT project_id, files FROM iceberg_table`);
  return new Map(rows.map((row) => [row['project_id'] as string, row['files'] as string]));
}

export async function readTable(
  connection: Reader,
  projectId: string,
): Promise<StoredTable | null> {
  const [row] = await connection.read(
    sql`SELECT metadata, files FROM iceberg_table WHERE project_id = ${projectId}`,
  );
  if (row === undefined) return null;
  return { metadata: row['metadata'] as string, files: row['files'] as string };
}

/** @param table null removes it */
export const storeTable = (
  writer: Writer,
  projectId: string,
  table: StoredTable | null,
): Promise<void> =>
  writer.transaction(async (connection) => {
    await connection.run(sql`DELETE FROM iceberg_table WHERE project_id = ${projectId}`);
    if (table !== null)
      await connection.run(
        sql`INSERT INTO iceberg_table VALUES (${projectId}, ${table.metadata}, ${table.files})`,
      );
  });
