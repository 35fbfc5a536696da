// Parquet, of which the engine makes JSON. Columns that are null are absent.
import { parquetRows } from '../../../duckdb/parquet-rows.js';
import { RowError, type Row } from '../row.js';

export async function* readParquet(file: string): AsyncGenerator<Row> {
  let line = 0;
  try {
    for await (const text of parquetRows(file)) {
      line += 1;
      yield { text, line };
    }
  } catch (error) {
    const [sentence] = (error as Error).message.split('\n');
    throw new RowError(null, `this is no Parquet that can be read: ${sentence}`);
  }
}
