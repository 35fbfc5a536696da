// The finished rows of a query where the engine can read them again: to be read, streamed or exported.
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { inFiles, type FinishedBytes } from './finished-bytes.js';
import type { ReadSession } from './read-session.js';

export interface QueryResult {
  /** To be used in the FROM of the statements below; it keeps the order of the query's rows. */
  readonly table: Sql;
  /** The same rows in parts, one after the other. */
  readonly parts: readonly Sql[];
  read(query: Sql): Promise<readonly Row[]>;
  /** The columns of `query` need different names. */
  stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void>;
  /** The rows of `select` as the bytes of a Parquet file, which outlive the result. */
  exportParquet(select: Sql): Promise<FinishedBytes>;
  /** The rows of `selects`, one after the other, as CSV with a header. */
  exportCsv(selects: readonly Sql[]): Promise<FinishedBytes>;
  /** What `encode` makes of the rows of `select`, whose columns need different names. */
  exportBytes(select: Sql, encode: Encode): Promise<FinishedBytes>;
  /** Removes the rows, and ends the turn in the lane. */
  close(): Promise<void>;
}

type Encode = (
  chunks: AsyncIterable<readonly (readonly RowValue[])[]>,
) => AsyncIterable<Uint8Array>;

type TemporaryFile = (name: string) => string;

const table = identifier('query_result');

/** The rows of the queries one after the other. Takes the session over when it succeeds. */
export async function createResult(
  session: ReadSession,
  queries: readonly Sql[],
  temporaryFile: TemporaryFile,
): Promise<QueryResult> {
  const [query, ...more] = queries;
  if (query === undefined || more.length > 0) return createParts(session, queries, temporaryFile);
  await session.run(sql`CREATE TEMP TABLE ${table} AS ${query}`);
  return resultOf(session, [table], table, temporaryFile, async () => {});
}

// Rows that are known to be many go to files, so that they take up no memory.
async function createParts(
  session: ReadSession,
  queries: readonly Sql[],
  temporaryFile: TemporaryFile,
): Promise<QueryResult> {
  const name = `result-${randomUUID()}`;
  const parts = queries.map((_, index) => temporaryFile(`${name}-${index}.parquet`));
  const remove = async () => {
    for (const part of parts) await rm(part, { force: true });
  };
  try {
    await session.readOnce();
    for (const [index, query] of queries.entries())
      await session.run(
        sql`COPY (${query}) TO ${parts[index] ?? ''} (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE 4096)`,
      );
    const files = join(parts.map((part) => sql`${part}`));
    const all = sql`read_parquet([${files}])`;
    const each = parts.map((part) => sql`read_parquet(${part})`);
    return resultOf(session, each, all, temporaryFile, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

const resultOf = (
  session: ReadSession,
  parts: readonly Sql[],
  rows: Sql,
  temporaryFile: TemporaryFile,
  remove: () => Promise<void>,
): QueryResult => ({
  table: rows,
  parts,
  read: (next) => session.read(next),
  stream: (next) => session.stream(next),
  exportParquet: (select) =>
    exported(temporaryFile, [select], (_, path) =>
      session.run(
        sql`COPY (${inSequence(select)}) TO ${path} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE ${rowGroupRows}, PRESERVE_ORDER false)`,
      ),
    ),
  exportCsv: (selects) =>
    exported(temporaryFile, selects, (select, path, isFirst) =>
      session.run(sql`COPY (${select}) TO ${path} (FORMAT csv, HEADER ${raw(String(isFirst))})`),
    ),
  exportBytes: (select, encode) =>
    exported(temporaryFile, [select], (_, path) => writeFile(path, encode(session.stream(select)))),
  close: async () => {
    await session.close();
    await remove();
  },
});

// Row groups of this size are read one by one, and take up little memory while they are written.
const rowGroupRows: Sql = { parts: ['10240'] };

/**
 * Read by one thread, since a limit counts rows in their order, and written as they come. Several read ahead of what
 * can be written, 600 MB more for 170,000 events of 2.4 KB; and to preserve the order of several, rows are collected
 * in batches first, which one thread may put off writing: 1.1 GB for a million.
 */
const inSequence = (select: Sql): Sql => sql`SELECT * FROM (${select}) LIMIT ${2n ** 53n}`;

const raw = (text: string): Sql => ({ parts: [text] });

/** The bytes of the files that `write` makes, one for each of the selects. */
async function exported(
  temporaryFile: TemporaryFile,
  selects: readonly Sql[],
  write: (select: Sql, path: string, isFirst: boolean) => Promise<unknown>,
): Promise<FinishedBytes> {
  const name = `export-${randomUUID()}`;
  const paths = selects.map((_, index) => temporaryFile(`${name}-${index}`));
  try {
    for (const [index, select] of selects.entries())
      await write(select, paths[index] ?? '', index === 0);
    return await inFiles(paths, 0);
  } catch (error) {
    for (const path of paths) await rm(path, { force: true });
    throw error;
  }
}
