// Reads a Parquet file outside of a data directory, in an instance of its own.
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from './database.js';
import { readParquet } from './parquet.js';
import { sql } from './sql.js';

/** Yields each row as JSON text. @throws EngineError for a file that is no Parquet */
export async function* parquetRows(file: string): AsyncGenerator<string> {
  const database = await Database.open(':memory:', {
    memoryMb: 256,
    threads: 1,
    temporaryDirectory: path.join(tmpdir(), 'evalstore-import'),
    allowedDirectories: [path.dirname(path.resolve(file))],
  });
  const connection = await database.connect();
  try {
    const texts = connection.stream(
      sql`SELECT CAST(to_json(t) AS VARCHAR) AS "text" FROM ${readParquet(path.resolve(file))} t`,
    );
    for await (const rows of texts) for (const [text] of rows) yield text as string;
  } finally {
    // Closing waits for connections.
    database.disconnect(connection);
    await database.close();
  }
}
