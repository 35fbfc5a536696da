// Refuses to start, before anything is changed, if the manifest is missing or older than the files beside it, or a log is missing or
// damaged. With an older manifest, rows of segments that it does not list would be unreachable, and new rows would be mixed with them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { hasTable } from '../../duckdb/has-table.js';
import { sql } from '../../duckdb/sql.js';
import { recordedTransactions } from '../../duckdb/transaction-count.js';
import { maxBigint } from '../../schema/xact-id.js';
import type { Writer } from '../../duckdb/writer.js';
import { readLastTransaction } from '../log/last-transaction.js';
import { logDirectory, logFile, logsIn } from '../log/event-log.js';
import { inspectLog } from '../log/read-log.js';
import { readGenerations } from '../manifest/generations.js';
import { readSegment } from '../segment/segment-table.js';
import { SegmentFiles, type SegmentName } from '../segment/segment-files.js';
import type { Segment } from '../segment/segment.js';
import { readDroppedSegments, readSegments } from '../manifest/segments.js';
import { readUploaded } from '../manifest/uploads.js';

const database = 'meta.duckdb';

/** The manifest and the other files of the data directory do not belong together. */
export class WrongManifest extends Error {
  override readonly name = 'WrongManifest';
}

const filesIn = (dataDirectory: string): SegmentFiles =>
  new SegmentFiles(path.resolve(dataDirectory, 'segments'));

/**
 * Called before the database is opened, since that creates a missing database and deletes the log of the old one.
 * @throws WrongManifest when the database is missing and other files of the store exist
 */
export async function requireManifest(dataDirectory: string): Promise<void> {
  const file = path.join(dataDirectory, database);
  if (existsSync(file)) return;
  const found = await remains(dataDirectory);
  if (found !== null)
    throw new WrongManifest(
      `${file} is missing, but ${found}: put a copy of it back, or make a new one from the segments with "evalstore repair"`,
    );
}

/** What is there of a store without its database; null if there is nothing. */
export async function remains(dataDirectory: string): Promise<string | null> {
  const segments = await filesIn(dataDirectory).onDisk();
  if (segments.length > 0) return `there are ${segments.length} segments`;
  if (existsSync(path.join(dataDirectory, `${database}.wal`))) return 'its log is there';
  const logs = await logsIn(logDirectory(dataDirectory));
  if (logs.length > 0) return 'logs of events are there';
  const last = await readLastTransaction(dataDirectory);
  return last === null ? null : `transaction ${last} was acknowledged`;
}

/**
 * Called before anything is written to the database.
 * @throws WrongManifest when the database is older than the files beside it, or a log is damaged
 */
export async function refuseOldManifest(writer: Writer, dataDirectory: string): Promise<void> {
  const reason = await whyOld(writer, dataDirectory);
  if (reason !== null)
    throw new WrongManifest(
      `${path.join(dataDirectory, database)} does not match the rest of the directory, ${reason}: put the latest ${database}, ${database}.wal and log back, or continue with the existing files with "evalstore repair"`,
    );
}

async function whyOld(writer: Writer, dataDirectory: string): Promise<string | null> {
  const listed = (await hasTable(writer, 'segment')) ? await readSegments(writer) : [];
  const logs = await readLogs(writer, logDirectory(dataDirectory));
  if (typeof logs === 'string') return logs;
  const last = [...listed.map((segment) => segment.lastXactId), logs.last].reduce(maxBigint, 0n);
  const acknowledged = (await readLastTransaction(dataDirectory)) ?? 0n;
  if (acknowledged > last)
    return `transaction ${acknowledged} was acknowledged and is neither in it nor in its logs`;
  if (logs.unlisted > last) return `transaction ${logs.unlisted} is in a log that it does not list`;
  const files = filesIn(dataDirectory);
  const unknown = await unknownSegments(writer, files, listed);
  const uploaded = new Set(await readUploaded(writer));
  const lost = listed.filter(
    (segment) => !uploaded.has(segment.source) && !existsSync(files.rows(segment)),
  );
  for (const segment of unknown) {
    const range = await rangeOf(writer, files.rows(segment));
    if (
      range !== null &&
      (range.last > last || lost.some((each) => overlaps(each, segment, range)))
    )
      return `it does not list ${files.rows(segment)}`;
  }
  return whyIncomplete(writer, dataDirectory);
}

/** Finds lost transactions that changed only the catalog, by their count. */
async function whyIncomplete(writer: Writer, dataDirectory: string): Promise<string | null> {
  const noted = (await recordedTransactions(path.join(dataDirectory, database))) ?? 0n;
  const lost = noted - writer.transactions;
  return lost > 0n ? `it lacks the last ${lost} of its transactions` : null;
}

interface LastLogged {
  /** The last transaction that a listed generation may have. */
  readonly last: bigint;
  /** The last one in logs of generations that are not listed; 0 when there is none. */
  readonly unlisted: bigint;
}

/** Returns the last logged transactions, or a clause that names a missing log. */
async function readLogs(writer: Writer, directory: string): Promise<LastLogged | string> {
  const generations = (await hasTable(writer, 'buffer_generation'))
    ? await readGenerations(writer)
    : [];
  const logs = new Set(await logsIn(directory));
  let last = generations.at(-1)?.afterXactId ?? 0n;
  for (const { source } of generations) {
    if (!logs.delete(source)) return `the log of its generation ${source} is missing`;
    last = maxBigint(last, await lastInLog(directory, source));
  }
  let unlisted = 0n;
  for (const source of logs) unlisted = maxBigint(unlisted, await lastInLog(directory, source));
  return { last, unlisted };
}

/** @throws WrongManifest when the log is damaged */
async function lastInLog(directory: string, source: number): Promise<bigint> {
  const { lastXactId, damage } = await inspectLog(logFile(directory, source), source);
  if (damage !== null) throw new WrongManifest(damage);
  return lastXactId ?? 0n;
}

/** The segments on disk that the manifest neither lists nor dropped. */
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

/** Returns null if the file is not a segment. */
async function rangeOf(writer: Writer, file: string): Promise<XactIds | null> {
  const query = sql`SELECT min(_xact_id) AS first, max(_xact_id) AS last FROM ${readSegment(file)}`;
  const [row] = await writer.read(query).catch(() => []);
  const [first, last] = [row?.['first'], row?.['last']];
  return typeof first === 'bigint' && typeof last === 'bigint' ? { first, last } : null;
}
