// Rows of files, compared by DuckDB: those of an answer of the server, and those that an engine read.
import { DuckDBInstance } from '@duckdb/node-api';

export interface Compared {
  readonly rows: number;
  /** The first row that only one of the two has, as text; null if there is none. */
  readonly different: string | null;
}

const without = (left: string, right: string) =>
  `SELECT '${left}' AS side, one::VARCHAR AS row FROM (FROM ${left} EXCEPT ALL FROM ${right}) AS one`;

/**
 * Compares rows as a bag.
 * @param ours a relation of DuckDB, as `'file.parquet'` with its quotes
 * @param theirs another one, with the same columns
 */
export async function compareRows(ours: string, theirs: string): Promise<Compared> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
    await connection.run(`CREATE TABLE ours AS FROM ${ours}`);
    await connection.run(`CREATE TABLE theirs AS FROM ${theirs}`);
    const sides = [without('ours', 'theirs'), without('theirs', 'ours')];
    const different = await rows(`${sides.join(' UNION ALL ')} ORDER BY row LIMIT 2`);
    const [[count] = []] = await rows('SELECT count(*) FROM theirs');
    return {
      rows: Number(count),
      different: different.length === 0 ? null : JSON.stringify(different),
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
