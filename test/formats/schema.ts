// The tables of a data directory.
import path from 'node:path';
import { Database } from '../../src/duckdb/database.js';
import { sql } from '../../src/duckdb/sql.js';

type Schema = Readonly<Record<string, readonly string[]>>;

/** By table: each column with its type, in their order. No server may use the directory. */
export async function schemaOf(directory: string): Promise<Schema> {
  const database = await Database.open(path.join(directory, 'meta.duckdb'), {
    memoryMb: 256,
    threads: 1,
    readOnly: true,
    allowedDirectories: [],
    temporaryDirectory: path.join(directory, 'tmp', 'schema'),
  });
  try {
    const found = await database.use((connection) =>
      connection.read(sql`
        SELECT table_name AS "table", list(column_name || ' ' || data_type ORDER BY column_index) AS columns
        FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
        GROUP BY ALL ORDER BY ALL`),
    );
    const schema: Record<string, readonly string[]> = {};
    for (const { table, columns: list } of found) schema[String(table)] = list as readonly string[];
    return schema;
  } finally {
    await database.close();
  }
}
