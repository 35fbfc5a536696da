// The list of segments in the writer's database; whatever it lists is part of the store, and nothing else.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import type { Segment, SegmentChecksums } from '../segment/segment.js';
import type { ObjectFacts } from '../segment/segment-facts.js';
import type { SegmentName } from '../segment/segment-files.js';
import { segmentPathsFromJson, segmentPathsToJson } from '../segment/segment-paths.js';
import { segmentFormatVersion } from '../segment/segment-writer.js';

/** Segments are spread over servers by this number. */
const shard = 0;

export const createManifest = sql`
  CREATE TABLE segment (
    source INTEGER, project_id VARCHAR, first_xact_id BIGINT, last_xact_id BIGINT, "rows" BIGINT,
    bytes BIGINT, has_lossless BOOLEAN, objects VARCHAR, paths VARCHAR,
    format INTEGER, shard INTEGER)`;

/** Segments that are listed before have one file of rows. */
export const addNarrowFiles = sql`
  CREATE OR REPLACE TABLE segment AS SELECT *, FALSE AS has_narrow FROM segment`;

/**
 * Segments that were published and are replaced: their files are removed when nothing reads them any more, and the record after
 * the files. No other file that was published is ever removed.
 */
export const createDroppedSegments = sql`
  CREATE TABLE dropped_segment (source INTEGER, project_id VARCHAR)`;

/**
 * JSON of the size and the CRC-32 of each file of the segment. Of segments that are listed before, the first scrub records it:
 * what was damaged until then is not found by it.
 */
export const addChecksums = sql`
  CREATE OR REPLACE TABLE segment AS SELECT *, NULL::VARCHAR AS checksums FROM segment`;

const objectsToJson = (objects: Segment['objects']): string =>
  JSON.stringify([...objects.values()], (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

const bigints = new Set(['minXactId', 'maxXactId', 'minCreated', 'maxCreated']);

function objectsFromJson(text: string): Segment['objects'] {
  const list = JSON.parse(text, (key, value: unknown) =>
    bigints.has(key) ? BigInt(value as string) : value,
  ) as readonly ObjectFacts[];
  return new Map(list.map((object) => [object.objectId, object]));
}

const isPartlySuperseded = ({ superseded }: ObjectFacts): boolean => superseded > 0;

export async function insertSegment(
  connection: Pick<WriteConnection, 'run'>,
  segment: Segment,
): Promise<void> {
  await connection.run(sql`
    INSERT INTO segment VALUES (
      ${BigInt(segment.source)}, ${segment.projectId}, ${segment.firstXactId}, ${segment.lastXactId},
      ${BigInt(segment.rows)}, ${BigInt(segment.bytes)}, ${segment.hasLossless},
      ${objectsToJson(segment.objects)}, ${segmentPathsToJson(segment.paths)},
      ${BigInt(segmentFormatVersion)}, ${BigInt(shard)}, ${segment.hasNarrow},
      ${JSON.stringify(segment.checksums)})`);
}

/** Of a segment that was listed without them. */
export const recordChecksums = (
  connection: Pick<WriteConnection, 'run'>,
  { source }: Pick<Segment, 'source'>,
  checksums: SegmentChecksums,
): Promise<void> =>
  connection.run(sql`
    UPDATE segment SET checksums = ${JSON.stringify(checksums)}
    WHERE source = ${BigInt(source)} AND checksums IS NULL`);

/** Takes a segment out of the list and records that its files are to be removed. */
export async function dropSegment(
  connection: Pick<WriteConnection, 'run'>,
  { source, projectId }: Segment,
): Promise<void> {
  await connection.run(sql`DELETE FROM segment WHERE source = ${BigInt(source)}`);
  await connection.run(sql`INSERT INTO dropped_segment VALUES (${BigInt(source)}, ${projectId})`);
}

export async function readDroppedSegments(
  connection: Pick<WriteConnection, 'read'>,
): Promise<readonly SegmentName[]> {
  const rows = await connection.read(sql`SELECT source, project_id FROM dropped_segment`);
  return rows.map((row) => ({
    source: row['source'] as number,
    projectId: row['project_id'] as string,
  }));
}

/** To be called when the files of these segments are removed. */
export async function forgetDroppedSegments(
  writer: Writer,
  segments: readonly SegmentName[],
): Promise<void> {
  if (segments.length === 0) return;
  const sources = segments.map(({ source }) => String(source));
  await writer.transaction((connection) =>
    connection.run(sql`
      DELETE FROM dropped_segment WHERE source IN (SELECT unnest(${sources}::INTEGER[]))`),
  );
}

/**
 * All segments in the order of their transaction ids.
 * @throws Error for a segment of a format that this version does not know
 */
export async function readSegments(
  connection: Pick<WriteConnection, 'read'>,
): Promise<readonly Segment[]> {
  const rows = await connection.read(sql`SELECT * FROM segment ORDER BY first_xact_id, source`);
  return rows.map((row) => {
    const format = row['format'] as number;
    if (format < 1 || format > segmentFormatVersion)
      throw new Error(
        `segment ${String(row['source'])} has format ${format}, this version reads formats up to ${segmentFormatVersion}`,
      );
    // A directory that is only looked at may be older than these two columns.
    const hasNarrow = row['has_narrow'] === true;
    const checksums = (row['checksums'] ?? '{}') as string;
    const objects = objectsFromJson(row['objects'] as string);
    return {
      source: row['source'] as number,
      projectId: row['project_id'] as string,
      firstXactId: row['first_xact_id'] as bigint,
      lastXactId: row['last_xact_id'] as bigint,
      rows: Number(row['rows']),
      bytes: Number(row['bytes']),
      hasLossless: row['has_lossless'] as boolean,
      hasNarrow,
      hasEnded: hasNarrow && format > 1 && [...objects.values()].some(isPartlySuperseded),
      isOrderVerified: format > 2,
      objects,
      paths: segmentPathsFromJson(row['paths'] as string),
      checksums: JSON.parse(checksums) as SegmentChecksums,
    };
  });
}
