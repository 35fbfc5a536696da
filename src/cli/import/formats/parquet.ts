// Parquet, read by the engine in process, which makes JSON of each row. Columns that are null are absent.
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from '../../../duckdb/database.js';
import { readParquet as rowsOf } from '../../../duckdb/parquet.js';
import { sql } from '../../../duckdb/sql.js';
import { RowError, type Row } from '../row.js';

export async function* readParquet(file: string): AsyncGenerator<Row> {
  const database = await Database.open(':memory:', {
    memoryMb: 256,
    threads: 1,
    temporaryDirectory: path.join(tmpdir(), 'evalstore-import'),
    allowedDirectories: [path.dirname(path.resolve(file))],
  });
  const connection = await database.connect();
  try {
    let line = 0;
    const texts = connection.stream(
      sql`SELECT CAST(to_json(t) AS VARCHAR) AS "text" FROM ${rowsOf(path.resolve(file))} t`,
    );
    for await (const rows of texts)
      for (const [text] of rows) {
        line += 1;
        yield { text: text as string, line };
      }
  } catch (error) {
    const [sentence] = (error as Error).message.split('\n');
    throw new RowError(null, `this is no Parquet that can be read: ${sentence}`);
  } finally {
    // Closing waits for connections.
    database.disconnect(connection);
    await database.close();
  }
}
