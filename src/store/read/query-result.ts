// The finished rows of a query where the engine can read them again: to be read, streamed or exported.
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { Row, RowValue } from '../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import { inFile, ofPieces, wholeFiles, type FinishedBytes } from './finished-bytes.js';
import { joinParquet } from './joined-parquet.js';
import type { ReadSession } from './read-session.js';

export interface QueryResult {
  /** To be used in the FROM of the statements below: the rows in parts, one after the other. */
  readonly parts: readonly Sql[];
  read(query: Sql): Promise<readonly Row[]>;
  /** The columns of `query` need different names. */
  stream(query: Sql): AsyncGenerator<readonly (readonly RowValue[])[], void, void>;
  /** The rows of `selects`, one after the other, as the bytes of a Parquet file, which outlive the result. */
  exportParquet(names: Names, selects: readonly Sql[]): Promise<FinishedBytes>;
  /** The same as CSV with a header. */
  exportCsv(names: Names, selects: readonly Sql[]): Promise<FinishedBytes>;
  /** What `encode` makes of the rows of `selects`, whose columns need different names. */
  exportBytes(selects: readonly Sql[], encode: Encode): Promise<FinishedBytes>;
  /** Removes the rows, and ends the turn in the lane. */
  close(): Promise<void>;
}

/** Of the columns of a file, in their order: as column names of the engine, some would be refused or changed. */
type Names = readonly string[];

type Chunks = AsyncIterable<readonly (readonly RowValue[])[]>;

type Encode = (chunks: Chunks) => AsyncIterable<Uint8Array>;

type TemporaryFile = (name: string) => string;

const table = identifier('query_result');

/**
 * The rows of the queries one after the other. Rows of several queries are known to be many: they are read from
 * their sources again and again, so that they take up neither memory nor disk. Takes the session over when it succeeds.
 */
export async function createResult(
  session: ReadSession,
  queries: readonly Sql[],
  temporaryFile: TemporaryFile,
): Promise<QueryResult> {
  const [query, ...more] = queries;
  if (query === undefined || more.length > 0) {
    await session.readOnce();
    const parts = queries.map((part) => sql`(${part})`);
    return resultOf(session, parts, temporaryFile);
  }
  await session.run(sql`CREATE TEMP TABLE ${table} AS ${query}`);
  return resultOf(session, [table], temporaryFile);
}

const resultOf = (
  session: ReadSession,
  parts: readonly Sql[],
  temporaryFile: TemporaryFile,
): QueryResult => ({
  parts,
  read: (next) => session.read(next),
  stream: (next) => session.stream(next),
  exportParquet: (names, [select, ...more]) =>
    more.length === 0 && select !== undefined
      ? exported(temporaryFile, 1, async ([path = '']) => {
          await session.run(copyInSequence(select, path));
          return joinParquet([path], names);
        })
      : exported(temporaryFile, 1 + more.length, async (paths) => {
          const all = select === undefined ? more : [select, ...more];
          await session.runEach(all.map((each, index) => copyPart(each, paths[index] ?? '')));
          return joinParquet(paths, names);
        }),
  exportCsv: (names, selects) =>
    exported(temporaryFile, selects.length, async (paths) => {
      await session.runEach(selects.map((each, index) => copyCsv(each, paths[index] ?? '')));
      return ofPieces([csvHeader(names), ...(await wholeFiles(paths))]);
    }),
  exportBytes: (selects, encode) =>
    exported(temporaryFile, 1, async ([path = '']) => {
      await writeFile(path, encode(rowsOf(session, selects)));
      return inFile(path);
    }),
  close: () => session.close(),
});

async function* rowsOf(session: ReadSession, selects: readonly Sql[]): Chunks {
  for (const select of selects) yield* session.stream(select);
}

const zstd = sql`FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1`;

/**
 * Read by one thread, since a limit counts rows in their order, and written as they come. Several read ahead of what
 * can be written, 600 MB more for 170,000 events of 2.4 KB; and to preserve the order of several, rows are collected
 * in batches first, which one thread may put off writing: 1.1 GB for a million.
 */
const copyInSequence = (select: Sql, path: string): Sql =>
  sql`COPY (SELECT * FROM (${select}) LIMIT ${2n ** 53n}) TO ${path} (${zstd}, ROW_GROUP_SIZE 10240, PRESERVE_ORDER false)`;

/** One row group. */
const copyPart = (select: Sql, path: string): Sql => sql`COPY (${select}) TO ${path} (${zstd})`;

const copyCsv = (select: Sql, path: string): Sql =>
  sql`COPY (${select}) TO ${path} (FORMAT csv, HEADER false)`;

const csvHeader = (names: Names): Buffer =>
  Buffer.from(
    `${names.map((name) => (/^$|[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(',')}\n`,
  );

/** What `write` makes, which takes so many files over. */
async function exported(
  temporaryFile: TemporaryFile,
  fileCount: number,
  write: (paths: readonly string[]) => Promise<FinishedBytes>,
): Promise<FinishedBytes> {
  const name = `export-${randomUUID()}`;
  const paths = Array.from({ length: fileCount }, (_, index) => temporaryFile(`${name}-${index}`));
  try {
    return await write(paths);
  } catch (error) {
    for (const path of paths) await rm(path, { force: true });
    throw error;
  }
}
