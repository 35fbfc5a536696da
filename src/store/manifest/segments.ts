// The list of segments in the manifest. A segment that it does not list is not a part of the store.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import { byTransactions, type Segment, type SegmentChecksums } from '../segment/segment.js';
import type { ObjectStats } from '../segment/segment.js';
import type { SegmentName } from '../segment/segment-files.js';
import { segmentFormatVersion } from '../segment/segment-format.js';
import { segmentPathsFromJson, segmentPathsToJson } from '../segment/segment-paths.js';

const objectsToJson = (objects: Segment['objects']): string =>
  JSON.stringify([...objects.values()], (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

const bigints = new Set(['minXactId', 'maxXactId', 'minCreated', 'maxCreated']);

function objectsFromJson(text: string): Segment['objects'] {
  const list = JSON.parse(text, (key, value: unknown) =>
    bigints.has(key) ? BigInt(value as string) : value,
  ) as readonly ObjectStats[];
  return new Map(list.map((object) => [object.objectId, object]));
}

const isPartlySuperseded = ({ superseded }: ObjectStats): boolean => superseded > 0;

export async function insertSegment(
  connection: Pick<WriteConnection, 'run'>,
  segment: Segment,
): Promise<void> {
  await connection.run(sql`
    INSERT INTO segment VALUES (
      ${BigInt(segment.source)}, ${segment.projectId}, ${segment.firstXactId}, ${segment.lastXactId},
      ${BigInt(segment.rows)}, ${BigInt(segment.bytes)}, ${segment.hasLossless},
      ${objectsToJson(segment.objects)}, ${segmentPathsToJson(segment.paths)},
      ${BigInt(segmentFormatVersion)}, ${segment.hasNarrow}, ${JSON.stringify(segment.checksums)}, NULL)`);
}

/** Removes a segment from the list and records that its files are obsolete. */
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

// Every later start derives the next number from those in the manifest and on disk.
const newestListed = sql`
  SELECT max(source) FROM (SELECT source FROM segment UNION ALL SELECT source FROM buffer_generation)`;

/** Called after the files of these segments were removed. A number larger than all listed ones stays, so that it is not reused. */
export async function forgetDroppedSegments(
  writer: Writer,
  segments: readonly SegmentName[],
): Promise<void> {
  if (segments.length === 0) return;
  const sources = segments.map(({ source }) => String(source));
  await writer.transaction((connection) =>
    connection.run(sql`
      DELETE FROM dropped_segment
      WHERE source IN (SELECT unnest(${sources}::INTEGER[])) AND source <= (${newestListed})`),
  );
}

/**
 * All segments, in the order of `byTransactions`.
 * @throws Error for a segment of a format that this release does not know
 */
export async function readSegments(
  connection: Pick<WriteConnection, 'read'>,
): Promise<readonly Segment[]> {
  const rows = await connection.read(sql`SELECT * FROM segment`);
  const segments = rows.map((row) => {
    const format = row['format'] as number;
    if (format < 1 || format > segmentFormatVersion)
      throw new Error(
        `segment ${String(row['source'])} has format ${format}, this release reads formats up to ${segmentFormatVersion}`,
      );
    const hasNarrow = row['has_narrow'] as boolean;
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
      hasSuperseded: hasNarrow && [...objects.values()].some(isPartlySuperseded),
      objects,
      paths: segmentPathsFromJson(row['paths'] as string),
      checksums: JSON.parse(row['checksums'] as string) as SegmentChecksums,
    };
  });
  return segments.sort(byTransactions);
}
