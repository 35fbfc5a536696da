// Refuses to start with a manifest that is missing or older than what lies beside it, before anything is changed: the rows of
// segments that it does not list would be out of reach, and new ones would be mixed with them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import { readLastTransaction } from '../commit/last-transaction.js';
import { bufferTable } from '../event-table.js';
import { readSegment } from '../segment/segment-table.js';
import { SegmentFiles, type SegmentName } from '../segment/segment-files.js';
import type { Segment } from '../segment/segment.js';
import { hasTable, readDroppedSegments, readSegments } from './manifest.js';

const database = 'meta.duckdb';

/** The data directory is not what its last server left. */
export class WrongManifest extends Error {
  override readonly name = 'WrongManifest';
}

const filesIn = (dataDirectory: string): SegmentFiles =>
  new SegmentFiles(path.resolve(dataDirectory, 'segments'));

/**
 * To be called before the database is opened, which would make a new one and delete the log of the old one.
 * @throws WrongManifest when the database is missing and something else of the store is there
 */
export async function requireManifest(dataDirectory: string): Promise<void> {
  const file = path.join(dataDirectory, database);
  if (existsSync(file)) return;
  const found = await remains(dataDirectory);
  if (found !== null)
    throw new WrongManifest(
      `${file} is missing, but ${found}: put a copy of it back, or make a new one from the segments with "npm run rebuild-manifest"`,
    );
}

async function remains(dataDirectory: string): Promise<string | null> {
  const segments = await filesIn(dataDirectory).onDisk();
  if (segments.length > 0) return `there are ${segments.length} segments`;
  if (existsSync(path.join(dataDirectory, `${database}.wal`))) return 'its log is there';
  const last = await readLastTransaction(dataDirectory);
  return last === null ? null : `transaction ${last} was acknowledged`;
}

/**
 * To be called before anything is written to the database.
 * @throws WrongManifest when the database knows less than what lies beside it
 */
export async function refuseOldManifest(writer: Writer, dataDirectory: string): Promise<void> {
  const reason = await whyOld(writer, dataDirectory);
  if (reason !== null)
    throw new WrongManifest(
      `${path.join(dataDirectory, database)} is older than the rest of the directory, ${reason}: put the latest ${database} and ${database}.wal back, or go on with what is there with "npm run rebuild-manifest"`,
    );
}

async function whyOld(writer: Writer, dataDirectory: string): Promise<string | null> {
  const listed = (await hasTable(writer, 'segment')) ? await readSegments(writer) : [];
  const last = await lastXactId(writer, listed);
  const acknowledged = (await readLastTransaction(dataDirectory)) ?? 0n;
  if (acknowledged > last) return `transaction ${acknowledged} was acknowledged and is not in it`;
  const files = filesIn(dataDirectory);
  const unknown = await unknownSegments(writer, files, listed);
  const lost = listed.filter((segment) => !existsSync(files.rows(segment)));
  for (const segment of unknown) {
    const range = await rangeOf(writer, files.rows(segment));
    if (
      range !== null &&
      (range.last > last || lost.some((each) => overlaps(each, segment, range)))
    )
      return `it does not know ${files.rows(segment)}`;
  }
  return null;
}

/** The last transaction that the database knows. */
async function lastXactId(writer: Writer, listed: readonly Segment[]): Promise<bigint> {
  const inSegments = listed.map((segment) => segment.lastXactId);
  return [...inSegments, await lastBuffered(writer)].reduce((a, b) => (a > b ? a : b), 0n);
}

async function lastBuffered(writer: Writer): Promise<bigint> {
  if (!(await hasTable(writer, 'buffer_generation'))) return 0n;
  const [newest] = await writer.read(
    sql`SELECT source, after_xact_id FROM buffer_generation ORDER BY source DESC LIMIT 1`,
  );
  if (newest === undefined) return 0n;
  const rows = bufferTable(newest['source'] as number);
  const [found] = await writer.read(sql`SELECT max(_xact_id) AS last FROM ${rows}`);
  return (found?.['last'] ?? newest['after_xact_id']) as bigint;
}

/** Segments on disk that the manifest neither lists nor has dropped. */
async function unknownSegments(
  writer: Writer,
  files: SegmentFiles,
  listed: readonly Segment[],
): Promise<readonly SegmentName[]> {
  const hasDropped = await hasTable(writer, 'dropped_segment');
  const dropped = hasDropped ? await readDroppedSegments(writer) : [];
  const known = new Set([...listed, ...dropped].map((segment) => files.rows(segment)));
  return (await files.onDisk()).filter((segment) => !known.has(files.rows(segment)));
}

interface XactIds {
  readonly first: bigint;
  readonly last: bigint;
}

const overlaps = (listed: Segment, { projectId }: SegmentName, { first, last }: XactIds): boolean =>
  listed.projectId === projectId && listed.firstXactId <= last && first <= listed.lastXactId;

/** Null for a file that is no segment. */
async function rangeOf(writer: Writer, file: string): Promise<XactIds | null> {
  const query = sql`SELECT min(_xact_id) AS first, max(_xact_id) AS last FROM ${readSegment(file)}`;
  const [row] = await writer.read(query).catch(() => []);
  const [first, last] = [row?.['first'], row?.['last']];
  return typeof first === 'bigint' && typeof last === 'bigint' ? { first, last } : null;
}
