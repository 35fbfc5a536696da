// Verifies that the manifest, the files, the indexes and the buffered rows agree, and that all tables can be read. Changes nothing.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkTables } from '../../duckdb/check-tables.js';
import type { Connection } from '../../duckdb/connection.js';
import { hasTable } from '../../duckdb/has-table.js';
import { refuseNewer } from '../../duckdb/migrate.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { Writer } from '../../duckdb/writer.js';
import { directoryUnused } from '../../errors.js';
import { withSupersessionTable } from '../row/supersession-table.js';
import type { Supersession } from '../row/event-table.js';
import { logDirectory } from '../log/event-log.js';
import { readHistoryFrom, readSupersessions } from '../manifest/generations.js';
import { refuseOldManifest, requireManifest, WrongManifest } from '../recovery/start-check.js';
import { IdIndex } from '../segment/id-index.js';
import { storeSteps } from '../manifest/migrations.js';
import { readDroppedSegments, readSegments } from '../manifest/segments.js';
import { readUploaded } from '../manifest/uploads.js';
import type { Segment } from '../segment/segment.js';
import { SegmentFiles, type SegmentName } from '../segment/segment-files.js';
import { bufferedSources, type LogDirectories, type RowSource } from './buffered-sources.js';
import { checkChecksums, checkSegment } from './check-segment.js';
import { readSegment } from '../segment/segment-table.js';

const problemsMax = 100;

/** Checks what is not of the store. Returns a sentence for each problem. */
export type FurtherCheck = (connection: Connection) => Promise<readonly string[]>;

/**
 * Checks a data directory that no server uses. `onlyInBucket` is called with each file that is not on the disk, but in the bucket, by its
 * path relative to the directory: it is not checked, nor what depends on its rows. Temporary files are outside of it. Returns a sentence for each problem.
 * @throws Error when it cannot be opened, or a newer release wrote it
 */
export async function checkStore(
  dataDirectory: string,
  further: FurtherCheck = () => Promise.resolve([]),
  onlyInBucket: (file: string) => void = () => {},
  engine: { readonly memoryMb: number; readonly threads: number } = { memoryMb: 2048, threads: 2 },
): Promise<readonly string[]> {
  const file = path.join(dataDirectory, 'meta.duckdb');
  await requireManifest(dataDirectory);
  if (!existsSync(file)) throw new Error(directoryUnused(dataDirectory));
  const temporaryDirectory = await mkdtemp(path.join(tmpdir(), 'evalstore-check-'));
  let writer: Writer | undefined;
  try {
    const settings = { ...engine, temporaryDirectory };
    writer = await Writer.openToRead(file, settings);
    await refuseNewer(writer, { store: storeSteps.length });
    const refusal = await whyRefused(writer, dataDirectory);
    const files = new SegmentFiles(path.resolve(dataDirectory, 'segments'));
    const logs = { directory: logDirectory(dataDirectory), temporaryDirectory };
    const problems = await writer.use(async (connection) => {
      const unreadable = await checkTables(connection);
      if (unreadable.length > 0) return unreadable;
      return [
        ...(await check(connection, files, logs, onlyInBucket)),
        ...(await further(connection)),
      ];
    });
    // Both name a damaged log.
    return [...new Set([...refusal, ...problems])];
  } finally {
    await writer?.close();
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

/** Why a server would not start. */
async function whyRefused(writer: Writer, dataDirectory: string): Promise<readonly string[]> {
  try {
    await refuseOldManifest(writer, dataDirectory);
    return [];
  } catch (error) {
    if (error instanceof WrongManifest) return [error.message];
    throw error;
  }
}

async function check(
  connection: Connection,
  files: SegmentFiles,
  logs: LogDirectories,
  onlyInBucket: (file: string) => void,
): Promise<readonly string[]> {
  const segments = (await hasTable(connection, 'segment')) ? await readSegments(connection) : [];
  const uploaded = new Set(await readUploaded(connection));
  const problems: string[] = [];
  const readable: Segment[] = [];
  for (const segment of segments) {
    const evicted = uploaded.has(segment.source) ? evictedOf(segment, files) : [];
    for (const file of evicted) onlyInBucket(files.relative(file));
    if (evicted.length > 0) continue;
    const found = await checkFiles(connection, segment, files);
    if (found.length === 0) readable.push(segment);
    problems.push(...found);
  }
  const unfinished = await files.unfinished(segments);
  for (const file of await files.orphans([...segments, ...(await droppedIn(connection))]))
    if (!unfinished.includes(file))
      problems.push(`file ${path.basename(file)} belongs to no segment`);
  problems.push(...overlaps(segments));
  // With a missing segment, every reference to its rows would look broken.
  if (readable.length < segments.length) return problems;
  const buffered = await bufferedSources(connection, logs);
  if (buffered.problems.length > 0) return [...problems, ...buffered.problems];
  const sources = [...buffered.sources, ...segments.map((segment) => sourceOf(segment, files))];
  const listed = new Set(sources.map(({ source }) => source));
  // The next start removes those of dropped sources.
  const superseded = [...(await readSupersessions(connection)), ...buffered.supersessions].filter(
    ({ source }) => listed.has(source),
  );
  problems.push(...(await checkRows(connection, sources, superseded)));
  return problems;
}

const evictedOf = (segment: Segment, files: SegmentFiles): readonly string[] =>
  files.of(segment).flatMap(({ file }) => (existsSync(file) ? [] : [file]));

/** Segments whose files the next start removes. */
const droppedIn = async (connection: Connection): Promise<readonly SegmentName[]> =>
  (await hasTable(connection, 'dropped_segment')) ? readDroppedSegments(connection) : [];

const historyIn = async (connection: Connection): Promise<bigint> =>
  (await hasTable(connection, 'history')) ? readHistoryFrom(connection) : 0n;

const checkRows = (
  connection: Connection,
  sources: readonly RowSource[],
  superseded: readonly Supersession[],
): Promise<readonly string[]> =>
  withSupersessionTable(connection, superseded, async (table) => [
    ...(await checkSupersessions(connection, sources, table)),
    ...(await checkVersions(connection, sources, table, await historyIn(connection))),
  ]);

async function checkFiles(
  connection: Connection,
  segment: Segment,
  files: SegmentFiles,
): Promise<readonly string[]> {
  const name = `segment ${segment.source}`;
  try {
    const damaged = await checkChecksums(segment, files);
    if (damaged.length > 0) return damaged.map((problem) => `${name}: ${problem}`);
    const problems = await checkSegment(connection, segment, files);
    const ids = IdIndex.parse(await readFile(files.ids(segment)));
    if (ids?.rows !== segment.rows) problems.push('its index in memory has other rows');
    return problems.map((problem) => `${name}: ${problem}`);
  } catch (error) {
    return [`${name}: it cannot be read: ${(error as Error).message.split('\n')[0] ?? ''}`];
  }
}

// A transaction of large events may be in several segments.
function overlaps(segments: readonly Segment[]): readonly string[] {
  const last = new Map<string, Segment>();
  const problems: string[] = [];
  for (const segment of segments) {
    const before = last.get(segment.projectId);
    if (before !== undefined && before.lastXactId > segment.firstXactId)
      problems.push(
        `segment ${segment.source}: its transactions overlap those of ${before.source}`,
      );
    last.set(segment.projectId, segment);
  }
  return problems;
}

const sourceOf = (segment: Segment, files: SegmentFiles): RowSource => ({
  source: segment.source,
  rows: sql`SELECT object_id, id, _xact_id, _row, _superseded_by
    FROM ${readSegment(files.rows(segment))}`,
});

const allRows = (sources: readonly RowSource[]): Sql =>
  join(
    sources.map(({ source, rows }) => sql`SELECT ${BigInt(source)} AS source, * FROM (${rows})`),
    ' UNION ALL ',
  );

async function checkSupersessions(
  connection: Connection,
  sources: readonly RowSource[],
  superseded: Sql,
): Promise<readonly string[]> {
  const lost = await connection.read(sql`
    SELECT s.source, s."row" FROM ${superseded} s
    ANTI JOIN (${allRows(sources)}) r ON r.source = s.source AND r._row = s."row"
    LIMIT ${BigInt(problemsMax)}`);
  return lost.map(
    ({ source, row }) =>
      `row ${String(row)} of source ${String(source)} is superseded but not there`,
  );
}

/** Checks that each version ends at the transaction of the next version of its id, if that one has not left the history. */
async function checkVersions(
  connection: Connection,
  sources: readonly RowSource[],
  superseded: Sql,
  historyFrom: bigint,
): Promise<readonly string[]> {
  const broken = await connection.read(sql`
    SELECT * FROM (
      SELECT r.object_id, r.id, r._xact_id,
        coalesce(r._superseded_by, s.by_xact_id) AS ends,
        lead(r._xact_id) OVER (PARTITION BY r.object_id, r.id ORDER BY r._xact_id) AS next
      FROM (${allRows(sources)}) r
      LEFT JOIN ${superseded} s ON s.source = r.source AND s."row" = r._row)
    WHERE (ends IS DISTINCT FROM next AND NOT coalesce(ends <= ${historyFrom}, FALSE)) OR next <= _xact_id LIMIT ${BigInt(problemsMax)}`);
  return broken.map(
    (row) =>
      `row "${String(row['id'])}" of object ${String(row['object_id'])}: version ${String(row['_xact_id'])} ends at ${String(row['ends'])}, the next one begins at ${String(row['next'])}`,
  );
}
