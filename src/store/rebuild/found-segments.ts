// Reads the statistics of a segment from its files, and writes its narrow and index files again if they are missing.
import { existsSync } from 'node:fs';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { writeDurably } from '../../durable-file.js';
import { writeNarrow } from '../segment/narrow-file.js';
import { isOrderVerified, toSegment, type Segment } from '../segment/segment.js';
import { readFacts } from '../segment/segment-facts.js';
import { segmentFormatVersion } from '../segment/segment-format.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { writeIndex } from '../segment/segment-index.js';
import { writeIds } from '../segment/build-index.js';
import { segmentPathsFromJson } from '../segment/segment-paths.js';
import { compressionLevels } from '../segment/segment-table.js';
import { defaultSegmentSettings } from '../segment/segment-writer.js';

/** Checksums are computed when all files of the segment exist. */
const noChecksums = {};

/** Narrow files that were not verified are rewritten in the current format. */
const narrowFormat = 2;

/** A file that only a newer release can read. */
export class NewerSegment extends Error {
  override readonly name = 'NewerSegment';
}

/** @throws NewerSegment, or Error when the file of rows cannot be read */
export async function readFound(
  connection: Connection,
  files: SegmentFiles,
  name: SegmentName,
): Promise<Segment> {
  const file = files.rows(name);
  const footer = await readFooter(connection, file);
  const format = Number(footer.get('evalstore_format'));
  const paths = footer.get('evalstore_paths');
  if (!(format >= 1) || paths === undefined) throw new Error('it is not a segment');
  if (format > segmentFormatVersion)
    throw new NewerSegment(
      `${file} was written by a newer release: it has format ${format}, this release reads formats up to ${segmentFormatVersion}`,
    );
  const facts = await readFacts(connection, file, [], segmentPathsFromJson(paths, format));
  const segment = {
    ...toSegment(name.source, name.projectId, facts, noChecksums),
    format: Math.max(format, narrowFormat),
    hasSuperseded: facts.objects.some(({ superseded }) => superseded > 0),
  };
  return { ...segment, hasNarrow: isOrderVerified({ format }) && hasNarrow(files, segment) };
}

async function readFooter(
  connection: Connection,
  file: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.read(sql`
    SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${file})`);
  return new Map(rows.map(({ key, value }) => [key as string, value as string]));
}

const hasNarrow = (files: SegmentFiles, segment: Segment): boolean =>
  existsSync(files.narrow(segment)) &&
  (!segment.hasSuperseded || existsSync(files.supersededNarrow(segment)));

/** The segment with all the files that it should have. */
export async function completeFiles(
  connection: Connection,
  files: SegmentFiles,
  segment: Segment,
): Promise<Segment> {
  const isLarge = segment.rows >= defaultSegmentSettings.narrowRowsMin;
  if (!segment.hasNarrow && isLarge)
    await writeNarrow(connection, files, segment, compressionLevels.merge);
  if (!existsSync(files.index(segment)))
    await writeDurably(files.index(segment), (file) =>
      writeIndex(connection, [files.rows(segment)], file),
    );
  if (!existsSync(files.ids(segment))) await writeIds(connection, files, segment, segment.rows);
  const hasOne = segment.hasNarrow || isLarge;
  return { ...segment, hasNarrow: hasOne, hasSuperseded: hasOne && segment.hasSuperseded };
}
