// Query results that the engine can read repeatedly: to query or export them.
import type { Row } from '../../../duckdb/rows.js';
import { identifier, sql, type Sql } from '../../../duckdb/sql.js';
import {
  ofPieces,
  toNewFiles,
  wholeFiles,
  type FinishedBytes,
  type TemporaryFile,
} from './finished-bytes.js';
import {
  consumerModule as arrowBatches,
  withJoinedTexts,
  type ArrowColumn,
  type ArrowPart,
} from './arrow-part.js';
import { joinParquet } from './joined-parquet.js';
import type { ReadSession, SqlPart } from '../engine/read-session.js';
import { writtenParts, type WrittenParts } from './written-parts.js';

export interface QueryResult {
  /** The parts of the result in their order, for the FROM clauses of the statements below. */
  readonly parts: readonly SqlPart[];
  read(query: Sql): Promise<readonly Row[]>;
  /** The concatenated rows of `selects` as a Parquet file. The bytes remain valid after `close`. */
  exportParquet(names: Names, selects: readonly SqlPart[]): Promise<FinishedBytes>;
  /** As `exportParquet`, but CSV with a header. */
  exportCsv(names: Names, selects: readonly SqlPart[]): Promise<FinishedBytes>;
  /**
   * The concatenated rows of `selects` as an Arrow stream, which can be read while it is written. The names of the columns of
   * `selects` must be distinct. The caller keeps the result open until it is written.
   */
  exportArrow(columns: readonly ArrowColumn[], selects: readonly SqlPart[]): WrittenParts;
  /** Divides the rows of the only part, of which there are `count`, so that an export can begin with the first of them. */
  divided(count: number): readonly SqlPart[];
  /** Removes the rows and ends the turn in the queue. */
  close(): Promise<void>;
}

/** The column names of a file, in their order. The engine rejects or renames some of them, so statements use other names. */
type Names = readonly string[];

const table = identifier('query_result');

const rowsPerPart = 20_480;

/** Few, since the client reads them while the others are written. */
const firstRows = 2_048;

/** The ranges of rows of the parts. */
function* rangesOf(count: number): Generator<readonly [from: bigint, to: bigint], void> {
  let from = 0;
  for (let to = firstRows; from < count; to += rowsPerPart) {
    yield [BigInt(from), BigInt(to)];
    from = to;
  }
}

/**
 * The concatenated rows of the queries. One query is stored as a temporary table. Several queries mean a large result: each
 * read runs them again, so that the result takes neither memory nor disk.
 *
 * On success the result owns the session.
 */
export async function createResult(
  session: ReadSession,
  queries: readonly SqlPart[],
  temporaryFile: TemporaryFile,
): Promise<QueryResult> {
  const [query, ...more] = queries;
  if (query === undefined || more.length > 0) {
    await session.readOnce();
    const parts = queries.map((part) => () => sql`(${part()})`);
    return resultOf(session, parts, false, temporaryFile);
  }
  await session.run(sql`CREATE TEMP TABLE ${table} AS ${query()}`);
  return resultOf(session, [() => table], true, temporaryFile);
}

const resultOf = (
  session: ReadSession,
  parts: readonly SqlPart[],
  isStored: boolean,
  temporaryFile: TemporaryFile,
): QueryResult => ({
  parts,
  read: (next) => session.read(next),
  exportParquet: (names, selects) =>
    toNewFiles(session, temporaryFile, 'export', selects.length, async (paths) => {
      const copy = selects.length === 1 ? copyInSequence : copyPart;
      await session.runEach(selects.map((each, index) => () => copy(each(), paths[index] ?? '')));
      return joinParquet(paths, names);
    }),
  exportCsv: (names, selects) =>
    toNewFiles(session, temporaryFile, 'export', selects.length, async (paths) => {
      await session.runEach(
        selects.map((each, index) => () => copyCsv(each(), paths[index] ?? '')),
      );
      return ofPieces([csvHeader(names), ...(await wholeFiles(paths))]);
    }),
  exportArrow: (columns, selects) => {
    const last = selects.length - 1;
    return writtenParts(session, temporaryFile, selects.length, (path, index) => {
      const part: ArrowPart = { path, columns, isFirst: index === 0, isLast: index === last };
      const rows = withJoinedTexts(columns, selects[index]!());
      return session.consume(rows, arrowBatches, part);
    });
  },
  divided: (count) =>
    isStored && count > rowsPerPart
      ? Array.from(
          rangesOf(count),
          ([from, to]) =>
            () =>
              sql`(SELECT * FROM ${table} WHERE rowid >= ${from} AND rowid < ${to})`,
        )
      : parts,
  close: () => session.close(),
});

const zstd = sql`FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1`;

/**
 * Reads with one thread, which the LIMIT forces because it counts rows in order, and writes rows as they arrive. Several threads
 * read ahead of the writer (600 MB more for 170,000 events of 2.4 KB), and preserving their order collects rows in batches
 * (1.1 GB for a million events).
 */
const copyInSequence = (select: Sql, path: string): Sql =>
  sql`COPY (SELECT * FROM (${select}) LIMIT ${2n ** 53n}) TO ${path} (${zstd}, ROW_GROUP_SIZE 10240, PRESERVE_ORDER false)`;

/** Writes one row group. */
const copyPart = (select: Sql, path: string): Sql => sql`COPY (${select}) TO ${path} (${zstd})`;

const copyCsv = (select: Sql, path: string): Sql =>
  sql`COPY (${select}) TO ${path} (FORMAT csv, HEADER false)`;

const csvHeader = (names: Names): Buffer =>
  Buffer.from(
    `${names.map((name) => (/^$|[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(',')}\n`,
  );
