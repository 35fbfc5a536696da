// The index file of a segment: sorted hashes of ids and traces with their row numbers.
import { hash } from 'node:crypto';
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import { readSegment } from './segment-table.js';

/** The key of a look-up: (object_id, id) or (object_id, root_span_id). */
export type IndexKind = 'id' | 'root_span_id';

const kindNumbers = { id: 0, root_span_id: 1 } as const satisfies Record<IndexKind, number>;

const separator = ' ';

/** The 64-bit hash of an index entry as two unsigned halves. Different values may share one: compare what the row says. */
export interface IndexHash {
  readonly high: number;
  readonly low: number;
}

export function hashHalves(objectId: string, value: string): IndexHash {
  // A character for each byte: a buffer takes five times as long.
  const digest = hash('md5', `${objectId}${separator}${value}`, 'binary');
  return { high: unsignedAt(digest, 12), low: unsignedAt(digest, 8) };
}

const unsignedAt = (digest: string, at: number): number =>
  (digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)) >>>
  0;

/** The same as one number. */
export function indexHash(objectId: string, value: string): bigint {
  const { high, low } = hashHalves(objectId, value);
  return (BigInt(high) << 32n) | BigInt(low);
}

const hashSql = (column: IndexKind): Sql =>
  sql`md5_number_lower(object_id || ${separator} || ${word(column)})`;

/** Writes the index of the rows that the files `segment` hold together to `path`. */
export async function writeIndex(
  connection: Connection,
  segment: readonly string[],
  path: string,
): Promise<void> {
  const entries = (['id', 'root_span_id'] as const).map(
    (kind) => sql`
      SELECT CAST(${word(kindNumbers[kind])} AS TINYINT) AS kind, ${hashSql(kind)} AS hash, _row AS "row"
      FROM ${readSegment(segment)}`,
  );
  await connection.run(sql`
    COPY (SELECT * FROM (${join(entries, ' UNION ALL ')}) ORDER BY kind, hash, "row")
    TO ${path} (FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 10240)`);
}

/**
 * SELECT of (filename, row) for those of `hashes` that the indexes have. The hashes are one parameter: as literals they take ten
 * times as long.
 */
export const indexMatches = (
  paths: readonly string[],
  kind: IndexKind,
  hashes: readonly bigint[],
): Sql => sql`
  SELECT filename, "row" FROM ${readParquet(paths)}
  WHERE kind = ${word(kindNumbers[kind])}
    AND hash IN (SELECT unnest(CAST(${hashes.map(String)} AS UBIGINT[])))`;
