// Parquet files as DuckDB writes them.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** The file of the rows of a query, in the directory, as bytes. */
export async function parquetOf(
  directory: string,
  sql: string,
  options = 'COMPRESSION zstd',
): Promise<Buffer> {
  const file = path.join(directory, 'rows.parquet');
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(`COPY (${sql}) TO '${file}' (FORMAT parquet, ${options})`);
    return await readFile(file);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
