// Removes temporary and obsolete files at the start. A published file is removed only if the manifest says that its segment was
// dropped. A file that the manifest does not know is set aside, since the manifest may be the one that is wrong.
//
// A segment with a mark that the manifest does not list is removed, since its process ended before it published the segment:
// - The mark is on disk before the first file of the segment leaves `unpublished`, and is removed only when the transaction that
//   lists the segment is on disk, or the files are gone.
// - `start-check` has refused a manifest that lacks transactions. So that transaction never happened, and the sources of the
//   segment, a generation or other segments, are still listed.
// - `start-check` has also refused a log of a listed generation that is missing or damaged, and a listed segment that is missing
//   while its transactions are in an unlisted one. So every acknowledged row of the segment is in its sources.
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../duckdb/connection.js';
import { hasTable } from '../../duckdb/has-table.js';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { EventLog } from '../log/event-log.js';
import { readGenerations } from '../manifest/generations.js';
import { SegmentFiles, type SegmentName } from '../segment/segment-files.js';
import { readDroppedSegments, readSegments } from '../manifest/segments.js';

const listedSources = sql`SELECT source FROM buffer_generation UNION ALL SELECT source FROM segment`;

/** Removes all temporary files, except for the spill directory of the writer, which is open already. */
export async function emptyTemporaryDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const names = await readdir(directory);
  await Promise.all(
    names
      .filter((name) => name !== 'writer')
      .map((name) => rm(path.join(directory, name), { recursive: true, force: true })),
  );
}

/** Removes logs and supersessions of sources that the manifest does not list. */
export async function removeUnlistedLogs(writer: Writer, log: EventLog): Promise<void> {
  const listed = new Set((await readGenerations(writer)).map(({ source }) => source));
  await log.discard((await log.sources()).filter((source) => !listed.has(source)));
  await writer.transaction((connection) =>
    connection.run(sql`DELETE FROM supersession WHERE source NOT IN (${listedSources})`),
  );
}

/** Paths, relative to the data directory, of a file that belongs to no segment. */
export interface MovedFile {
  readonly file: string;
  /** Where it is now. */
  readonly to: string;
}

/** Paths, relative to the data directory, of the segment files that a crash left and the next start removes. */
export async function filesLeftByCrash(
  connection: Connection,
  dataDirectory: string,
): Promise<readonly string[]> {
  const files = new SegmentFiles(path.resolve(dataDirectory, 'segments'));
  const listed = (await hasTable(connection, 'segment')) ? await readSegments(connection) : [];
  return (await files.unfinished(listed)).map((file) => files.relative(file)).sort();
}

/**
 * Removes the files of segments that were never published or are dropped, and sets unknown ones aside.
 * @param setAside called for each unknown file once it is moved
 * @returns the dropped segments, whose entries are still there
 */
export async function removeObsoleteFiles(
  writer: Writer,
  files: SegmentFiles,
  setAside: (moved: MovedFile) => void,
): Promise<readonly SegmentName[]> {
  const dropped = await readDroppedSegments(writer);
  const listed = await readSegments(writer);
  await files.removeUnfinished(listed);
  for (const segment of dropped) await files.remove(segment);
  await files.removeEmptyProjects(dropped, listed);
  const label = new Date().toISOString();
  for (const file of await files.orphans(listed)) {
    const to = await files.setAside(file, label);
    setAside({ file: files.relative(file), to: files.relative(to) });
  }
  return dropped;
}

/** The first source number that was never used. */
export async function firstFreeSource(
  writer: Writer,
  files: SegmentFiles,
  log: EventLog,
): Promise<number> {
  const [row] = await writer.read(sql`
    SELECT max(source) AS last FROM (${listedSources} UNION ALL SELECT source FROM dropped_segment)`);
  const logged = (await log.sources()).at(-1) ?? 0;
  return Math.max(Number(row?.['last'] ?? 0), await files.lastNumber(), logged) + 1;
}
