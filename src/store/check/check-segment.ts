// Compares the files of a segment with the manifest: their checksums, rows, narrow files and index.
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { readParquet } from '../../duckdb/parquet.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Segment } from '../segment/segment.js';
import { readObjectStats } from '../segment/segment-stats.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import { narrowColumns } from '../segment/narrow-file.js';
import { indexHash } from '../segment/segment-index.js';
import { orderProblems, type OrderedFiles } from '../segment/segment-order.js';
import { readSegment } from '../segment/segment-table.js';
import { expectedOf, problemOf } from '../segment/checked-files.js';
import { checksumOf } from '../segment/file-checksum.js';

const sampleRows = 1000;

const spelt = (stats: unknown): string =>
  JSON.stringify(stats, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));

export async function checkSegment(
  connection: Connection,
  segment: Segment,
  files: SegmentFiles,
): Promise<string[]> {
  const problems: string[] = [];
  const stats = await readObjectStats(connection, files.rows(segment));
  if (spelt(stats) !== spelt([...segment.objects.values()]))
    problems.push('its rows are not those that the manifest counts');
  const ordered = files.ordered(segment);
  problems.push(...(await orderProblems(connection, ordered)));
  if (segment.hasNarrow && !(await isNarrowEqual(connection, ordered)))
    problems.push('its narrow files have other rows');
  problems.push(...(await checkIndex(connection, segment, files)));
  return [...new Set(problems)];
}

const digest = (columns: Sql, file: string | readonly string[]): Sql => sql`
  (SELECT count(*), sum(hash(r)) FROM (SELECT ${columns} FROM ${readSegment(file)}) r)`;

async function isNarrowEqual(
  connection: Connection,
  { rows, narrow }: OrderedFiles,
): Promise<boolean> {
  const found = await connection.read(sql`
    ${digest(narrowColumns, rows)} INTERSECT ${digest(sql`*`, narrow)}`);
  return found.length === 1;
}

/** Checks that the index has every row twice, and compares the hashes of a sample of rows. */
async function checkIndex(
  connection: Connection,
  segment: Segment,
  files: SegmentFiles,
): Promise<readonly string[]> {
  const index = files.index(segment);
  const [counts] = await connection.read(sql`
    SELECT count(DISTINCT "row") FILTER (kind = 0) AS ids, count(DISTINCT "row") FILTER (kind = 1) AS traces,
      count(*) AS entries FROM ${readParquet(index)}`);
  const wanted = BigInt(segment.rows);
  if (
    counts?.['ids'] !== wanted ||
    counts['traces'] !== wanted ||
    counts['entries'] !== 2n * wanted
  )
    return ['its index does not have every row'];
  const sample = await connection.read(sql`
    SELECT object_id, id, root_span_id, i.hash AS id_hash, t.hash AS trace_hash
    FROM (SELECT * FROM ${readSegment(files.rows(segment))} LIMIT ${BigInt(sampleRows)}) s
    JOIN ${readParquet(index)} i ON i."row" = s._row AND i.kind = 0
    JOIN ${readParquet(index)} t ON t."row" = s._row AND t.kind = 1`);
  const wrong = sample.some((row) => {
    const hash = (value: unknown) => indexHash(String(row['object_id']), String(value));
    return row['id_hash'] !== hash(row['id']) || row['trace_hash'] !== hash(row['root_span_id']);
  });
  return wrong ? ['its index has wrong hashes'] : [];
}

/**
 * Returns a clause for each damaged file of the segment.
 * @throws the file system's error for a file that cannot be read
 */
export async function checkChecksums(
  segment: Segment,
  files: SegmentFiles,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { kind, file } of files.of(segment)) {
    const problem = problemOf(await checksumOf(file), expectedOf(segment, kind));
    if (problem !== null) problems.push(`its file ${path.basename(file)} is damaged: ${problem}`);
  }
  return problems;
}
