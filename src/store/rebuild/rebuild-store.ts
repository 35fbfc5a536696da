// Rebuilds the tables of the store from the segments and logs on disk. Removes no file.
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { Database } from '../../duckdb/database.js';
import { identifier, join, sql, word } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import { shortageIn } from '../../errors.js';
import type { EventObject } from '../../schema/event-row.js';
import { maxBigint } from '../../schema/xact-id.js';
import { EventLog, logDirectory } from '../log/event-log.js';
import { Supersessions } from '../row/supersessions.js';
import { scalarFunctions } from '../row/scalar-functions.js';
import { checksumsOf } from '../segment/segment-checksums.js';
import type { Segment } from '../segment/segment.js';
import { SegmentFiles, type SegmentName } from '../segment/segment-files.js';
import { readSegment } from '../segment/segment-table.js';
import { prepareTables } from '../manifest/migrations.js';
import { beforeAllXactIds, loadState } from '../recovery/load-state.js';
import { firstFreeSource } from '../recovery/obsolete-files.js';
import { insertSegment, readSegments } from '../manifest/segments.js';
import { writeSupersededFile } from '../maintenance/superseded-file.js';
import { bufferedRows, moveBuffered, type BufferedRows } from './buffered-rows.js';
import { chooseSegments, type ShareOf } from './chosen-segments.js';
import { completeFiles, NewerSegment, readFound } from './found-segments.js';
import { rewriteSegment, type RewriteDeps } from './rewritten-segment.js';
import { storedObjects } from './stored-objects.js';
import { compareVersions, insertSupersessions, wrongSources } from './versions.js';

export interface RebuiltStore {
  readonly segments: readonly Segment[];
  readonly buffered: BufferedRows;
  /** The generations of buffered rows. */
  readonly generations: readonly number[];
  /** The last transaction of the rows. */
  readonly lastXactId: bigint;
  /** Segments of the former manifest whose rows are in no readable file. */
  readonly lost: readonly Segment[];
  /** Row files that cannot be read, or are not as they were written, with the reason. */
  readonly leftOut: readonly string[];
  /** The objects of the rows, ordered by their oldest rows. */
  readonly objects: readonly EventObject[];
}

/**
 * Rebuilds the tables from the files. No server may use the directory.
 * @param writer the database of the data directory, or an empty one
 * @throws Error if segments contradict each other, or a newer release wrote some of the files
 */
export async function rebuildStore(
  writer: Writer,
  dataDirectory: string,
  memoryMb: number,
): Promise<RebuiltStore> {
  await prepareTables(writer);
  const files = new SegmentFiles(path.resolve(dataDirectory, 'segments'));
  const temporaryDirectory = path.resolve(dataDirectory, 'tmp', 'rebuild');
  await mkdir(temporaryDirectory, { recursive: true });
  const settings = {
    memoryMb,
    threads: 1,
    temporaryDirectory: path.join(temporaryDirectory, 'spill'),
  };
  const allowedDirectories = [path.resolve(dataDirectory)];
  const database = await Database.open(
    ':memory:',
    { ...settings, allowedDirectories },
    scalarFunctions(),
  );
  const log = await EventLog.open(logDirectory(dataDirectory));
  let free = await firstFreeSource(writer, files, log);
  try {
    const rebuilt = await writer.use((tables) =>
      database.use((engine) =>
        rebuild({ tables, engine, files, log, temporaryDirectory, nextSource: () => free++ }),
      ),
    );
    await writeSupersededFiles(writer, files, log);
    return rebuilt;
  } finally {
    await log.close();
    await database.close();
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

interface RebuildDeps extends RewriteDeps {
  readonly log: EventLog;
  readonly nextSource: () => number;
}

async function rebuild(parts: RebuildDeps): Promise<RebuiltStore> {
  const { tables, engine, files, nextSource } = parts;
  const listed = await readSegments(tables);
  const found = await readAll(engine, files, listed);
  const chosen = await chooseSegments(found.segments, shareIn(engine, files));
  const complete: Segment[] = [];
  for (const segment of chosen)
    complete.push(await completeFiles(engine, files, segment, formerOf(segment, listed)));
  const lost = lostSegments(listed, complete);
  const buffer = nextSource();
  const buffered = await moveBuffered(parts, complete, buffer);
  const segments = await endVersions(parts, complete, buffer);
  const lastXactId = segments
    .map((segment) => segment.lastXactId)
    .reduce(maxBigint, buffered.lastXactId || beforeAllXactIds);
  const active = await writeTables(parts, segments, { source: buffer, ...buffered }, lastXactId);
  const objects = await storedObjects(tables, files, segments, bufferedRows);
  return {
    segments,
    buffered,
    generations: [buffer, active],
    lastXactId,
    lost,
    leftOut: found.leftOut,
    objects,
  };
}

/** The segment as it is listed. */
const formerOf = (
  { source, projectId }: SegmentName,
  listed: readonly Segment[],
): Segment | undefined =>
  listed.find((former) => former.source === source && former.projectId === projectId);

async function readAll(engine: Connection, files: SegmentFiles, listed: readonly Segment[]) {
  const segments: Segment[] = [];
  const leftOut: string[] = [];
  for (const name of await files.onDisk())
    try {
      segments.push(await readFound(engine, files, name, formerOf(name, listed)));
    } catch (error) {
      if (error instanceof NewerSegment || shortageIn(error) !== null) throw error;
      leftOut.push(`${files.rows(name)}: ${(error as Error).message.split('\n')[0] ?? ''}`);
    }
  return { segments, leftOut };
}

function shareIn(engine: Connection, files: SegmentFiles): ShareOf {
  const versions = (of: Segment) =>
    sql`SELECT object_id, id, _xact_id FROM ${readSegment(files.rows(of))}`;
  return async (segment, others) => {
    const [found] = await engine.read(sql`
      SELECT count(*)::INTEGER AS "rows" FROM (${versions(segment)})
      SEMI JOIN (${join(others.map(versions), ' UNION ALL ')}) USING (object_id, id, _xact_id)`);
    const rows = found?.['rows'] as number;
    if (rows === segment.rows) return 'all';
    return rows === 0 ? 'none' : 'some';
  };
}

/** The listed segments that are not on disk, nor in a merged one that the manifest did not list yet. */
function lostSegments(listed: readonly Segment[], onDisk: readonly Segment[]): readonly Segment[] {
  const sources = new Set(listed.map(({ source }) => source));
  return listed.filter(
    (segment) =>
      !onDisk.some(
        (found) =>
          found.source === segment.source ||
          (!sources.has(found.source) &&
            found.projectId === segment.projectId &&
            found.firstXactId <= segment.firstXactId &&
            segment.lastXactId <= found.lastXactId),
      ),
  );
}

/** Returns the segments. Those with a row that ends where no version begins are rewritten. */
async function endVersions(
  parts: RebuildDeps,
  segments: readonly Segment[],
  buffer: number,
): Promise<readonly Segment[]> {
  const { tables, files, nextSource } = parts;
  await compareVersions(tables, files, segments, { source: buffer, rows: bufferedRows });
  const wrong = await wrongSources(tables);
  const corrected: Segment[] = [];
  for (const segment of segments)
    corrected.push(
      wrong.has(segment.source) ? await rewriteSegment(parts, segment, nextSource()) : segment,
    );
  await tables.run(sql`DELETE FROM supersession`);
  await insertSupersessions(tables, wrong);
  return corrected;
}

/**
 * Returns the number of the active generation. The buffered rows are a sealed one, so that their range of transactions is not
 * that of rows to come.
 */
async function writeTables(
  { tables, files, log, nextSource }: RebuildDeps,
  segments: readonly Segment[],
  buffered: BufferedRows & { readonly source: number },
  lastXactId: bigint,
): Promise<number> {
  for (const table of ['segment', 'dropped_segment', 'buffer_generation'])
    await tables.run(sql`DELETE FROM ${identifier(table)}`);
  for (const segment of segments) {
    const checksums = await checksumsOf(files, segment, segment.checksums);
    await insertSegment(tables, { ...segment, checksums });
  }
  const active = nextSource();
  const after = buffered.rows > 0 ? buffered.firstXactId - 1n : lastXactId;
  await log.create(active);
  await tables.run(sql`
    INSERT INTO buffer_generation VALUES
      (${word(buffered.source)}, ${after}), (${word(active)}, ${lastXactId})`);
  return active;
}

async function writeSupersededFiles(
  writer: Writer,
  files: SegmentFiles,
  log: EventLog,
): Promise<void> {
  const supersessions = new Supersessions();
  const { state } = await loadState(writer, log, supersessions);
  for (const projectId of new Set(state.segments.map((segment) => segment.projectId)))
    await writeSupersededFile({ writer, files, supersessions }, state, projectId);
}
