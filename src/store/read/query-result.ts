// The finished rows of a query in a temporary table: to be read again, streamed or exported.
import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { ReadSession } from './read-session.js';

export interface ExportedFile {
  readonly path: string;
  readonly bytes: number;
  /** Deletes the file. */
  remove(): Promise<void>;
}

export interface QueryResult {
  /** To be used in the FROM of the statements below; it keeps the order of the query's rows. */
  readonly table: Sql;
  read(query: Sql): Promise<readonly Row[]>;
  /** Ends the turn in the lane and the time budget. The columns of `query` need different names. */
  stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void>;
  /** Writes the rows of `select` to a Parquet file that outlives the result. */
  exportParquet(select: Sql): Promise<ExportedFile>;
  /** Drops the table. */
  close(): Promise<void>;
}

const table = identifier('query_result');

/** Takes the session over when it succeeds. */
export async function createResult(
  session: ReadSession,
  query: Sql,
  temporaryFile: (name: string) => string,
): Promise<QueryResult> {
  await session.run(sql`CREATE TEMP TABLE ${table} AS ${query}`);
  return {
    table,
    read: (next) => session.read(next),
    stream: (next) => {
      session.finish();
      return session.stream(next);
    },
    exportParquet: (select) => exportParquet(session, select, temporaryFile),
    close: () => session.close(),
  };
}

async function exportParquet(
  session: ReadSession,
  select: Sql,
  temporaryFile: (name: string) => string,
): Promise<ExportedFile> {
  const path = temporaryFile(`export-${randomUUID()}.parquet`);
  const remove = () => rm(path, { force: true });
  try {
    await session.run(sql`COPY (${select}) TO ${path} (FORMAT parquet, COMPRESSION zstd)`);
    return { path, bytes: (await stat(path)).size, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
