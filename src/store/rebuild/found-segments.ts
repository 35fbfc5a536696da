// Reads the statistics of a segment from its rows, and writes its narrow and index files again unless they are as the former manifest
// describes them.
import { existsSync } from 'node:fs';
import type { Connection } from '../../duckdb/connection.js';
import { sql } from '../../duckdb/sql.js';
import { writeDurably } from '../../durable-file.js';
import { shortageIn } from '../../errors.js';
import { writeNarrow } from '../segment/narrow-file.js';
import { toSegment, type Segment } from '../segment/segment.js';
import { readStats } from '../segment/segment-stats.js';
import { segmentFormatVersion } from '../segment/segment-format.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { writeIndex } from '../segment/segment-index.js';
import { writeIds } from '../segment/build-index.js';
import { expectedOf, problemOf } from '../segment/checked-files.js';
import { checksumOf, type FileChecksum } from '../segment/file-checksum.js';
import { segmentPathsFromJson } from '../segment/segment-paths.js';
import { compressionLevels } from '../segment/segment-table.js';
import { defaultSegmentSettings } from '../segment/segment-writer.js';

/** A file that only a newer release can read. */
export class NewerSegment extends Error {
  override readonly name = 'NewerSegment';
}

/**
 * The segment with the checksum of its rows.
 * @param former the segment in the former manifest
 * @throws NewerSegment, or Error when the file of rows cannot be read or is not what the former manifest describes
 */
export async function readFound(
  connection: Connection,
  files: SegmentFiles,
  name: SegmentName,
  former: Segment | undefined,
): Promise<Segment> {
  const file = files.rows(name);
  const parquet = await checksumOf(file);
  const problem = problemOf(parquet, former === undefined ? null : expectedOf(former, 'parquet'));
  if (problem !== null) throw new Error(problem);
  const footer = await readFooter(connection, file);
  const format = Number(footer.get('evalstore_format'));
  const paths = footer.get('evalstore_paths');
  if (!(format >= 1) || paths === undefined) throw new Error('it is not a segment');
  if (format > segmentFormatVersion)
    throw new NewerSegment(
      `${file} was written by a newer release: it has format ${format}, this release reads formats up to ${segmentFormatVersion}`,
    );
  const stats = await readStats(connection, file, [], segmentPathsFromJson(paths));
  return {
    ...toSegment(name.source, name.projectId, stats, { parquet }),
    hasSuperseded: stats.objects.some(({ superseded }) => superseded > 0),
  };
}

async function readFooter(
  connection: Connection,
  file: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.read(sql`
    SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(${file})`);
  return new Map(rows.map(({ key, value }) => [key as string, value as string]));
}

/** Whether the file is as the former manifest describes it. */
async function isSound(file: string, expected: FileChecksum | undefined): Promise<boolean> {
  if (expected === undefined) return false;
  const found = await checksumOf(file).catch((error: unknown) => {
    if (shortageIn(error) !== null) throw error;
    return null;
  });
  return found !== null && problemOf(found, expected) === null;
}

/**
 * The segment with all the files that it should have.
 * @param former the segment in the former manifest
 */
export async function completeFiles(
  connection: Connection,
  files: SegmentFiles,
  segment: Segment,
  former: Segment | undefined,
): Promise<Segment> {
  const { narrow, ended, idx, ids } = former?.checksums ?? {};
  const { rows, hasSuperseded } = segment;
  const hasNarrow =
    rows >= defaultSegmentSettings.narrowRowsMin || existsSync(files.narrow(segment));
  const isNarrowSound =
    (await isSound(files.narrow(segment), narrow)) &&
    (!hasSuperseded || (await isSound(files.supersededNarrow(segment), ended)));
  if (hasNarrow && !isNarrowSound)
    await writeNarrow(connection, files, segment, compressionLevels.merge);
  if (!(await isSound(files.index(segment), idx)))
    await writeDurably(files.index(segment), (file) =>
      writeIndex(connection, [files.rows(segment)], file),
    );
  if (!(await isSound(files.ids(segment), ids))) await writeIds(connection, files, segment, rows);
  return { ...segment, hasNarrow, hasSuperseded: hasNarrow && hasSuperseded };
}
