// Builds the in-memory index of the ids of a segment from its index file.
import { writeFile } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql } from '../../duckdb/sql.js';
import { writeDurably } from '../../durable-file.js';
import { IdIndex } from './id-index.js';
import type { IndexHash } from './segment-index.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';

/** Builds the in-memory index of a segment, and writes it to a file. The other files must be written already. */
export async function writeIds(
  connection: Connection,
  files: SegmentFiles,
  segment: SegmentName,
  rows: number,
): Promise<IdIndex> {
  const index = await buildIndex(files.index(segment), rows, connection);
  await writeDurably(files.ids(segment), (file) => writeFile(file, index.bytes()));
  return index;
}

export const buildIndex = (file: string, rows: number, connection: Connection): Promise<IdIndex> =>
  IdIndex.build(rows, hashesOf(file, connection));

async function* hashesOf(
  file: string,
  connection: Connection,
): AsyncGenerator<readonly (readonly [IndexHash, number])[]> {
  const hashes = sql`
    SELECT (hash >> 32)::UINTEGER AS high, (hash & 4294967295)::UINTEGER AS low, "row"
    FROM (SELECT hash, "row" FROM ${readParquet(file)} WHERE kind = 0 ORDER BY hash)`;
  for await (const chunk of connection.stream(hashes))
    yield chunk.map(([high, low, row]) => [
      { high: high as number, low: low as number },
      row as number,
    ]);
}
