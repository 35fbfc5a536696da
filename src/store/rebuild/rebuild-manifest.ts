// Rebuilds the manifest. The command can be interrupted anywhere and run again.
import path from 'node:path';
import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { HighWaterMark } from '../../duckdb/high-water-mark.js';
import type { Writer, WriterSettings } from '../../duckdb/writer.js';
import type { EventObject } from '../../schema/event-row.js';
import { directoryUnused } from '../../errors.js';
import { lastTransactionFile } from '../log/last-transaction.js';
import { logDirectory, logFile, logsIn } from '../log/event-log.js';
import { SegmentFiles } from '../segment/segment-files.js';
import { remains } from '../recovery/start-check.js';
import { rebuildStore, type RebuiltStore } from './rebuild-store.js';
import { replaceDatabase } from './replace-database.js';

/** Creates missing objects and returns sentences about them. */
export type RecoverObjects = (
  writer: Writer,
  objects: readonly EventObject[],
) => Promise<readonly string[]>;

/**
 * Rebuilds the database of a data directory from the segments and logs that are there. Returns sentences about the result.
 * @throws EngineError `locked` when a server uses the directory, Error when no server has used it or segments contradict each other
 */
export async function rebuildManifest(
  dataDirectory: string,
  settings: WriterSettings,
  recover: RecoverObjects,
): Promise<readonly string[]> {
  const isThere = existsSync(path.join(dataDirectory, 'meta.duckdb'));
  if (!isThere && (await remains(dataDirectory)) === null)
    throw new Error(directoryUnused(dataDirectory));
  const directory = logDirectory(dataDirectory);
  let logs: readonly number[] | undefined;
  const { result, former, isCopy } = await replaceDatabase(
    dataDirectory,
    settings,
    async (writer) => {
      // Not before the database is locked: a server may begin a log until then.
      logs = await logsIn(directory);
      const store = await rebuildStore(writer, dataDirectory, settings.memoryMb);
      return { store, recovered: await recover(writer, store.objects) };
    },
  ).catch(async (error: unknown) => {
    const kept = logs;
    if (kept !== undefined) await removeLogs(directory, (source) => !kept.includes(source));
    throw error;
  });
  const { store, recovered } = result;
  const last = await HighWaterMark.open(lastTransactionFile(dataDirectory), store.lastXactId);
  await last.close();
  return [
    ...(former === null ? [] : [`the former database is kept as ${former}`]),
    ...(isCopy ? [] : [lostWithCatalog]),
    ...recovered,
    ...(await setAside(dataDirectory, store)),
    ...(await setLogsAside(dataDirectory, store)),
    ...reportOf(store),
  ];
}

const lostWithCatalog =
  'lost: names and settings of projects, experiments and datasets, prompts, roles, API keys, attachments, and deletions';

function reportOf({ segments, buffered, lost, leftOut }: RebuiltStore): readonly string[] {
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const { left, damage } = buffered;
  return [
    ...damage.map((message) => `lost: the rest of a log: ${message}`),
    ...leftOut.map((message) => `left out: ${message}`),
    ...lost.map(
      ({ source, projectId, rows: n }) =>
        `lost: segment ${source} of project ${projectId} with ${n} row versions`,
    ),
    ...(left === 0 ? [] : [`left: ${left} buffered row versions that are older than segments`]),
    `${segments.length} segments with ${rows} row versions, and ${buffered.rows} buffered ones`,
  ];
}

async function setAside(
  dataDirectory: string,
  { segments }: RebuiltStore,
): Promise<readonly string[]> {
  const files = new SegmentFiles(path.resolve(dataDirectory, 'segments'));
  const label = new Date().toISOString();
  const lines: string[] = [];
  for (const file of await files.orphans(segments))
    lines.push(`set aside: ${await files.setAside(file, label)}`);
  return lines;
}

async function removeLogs(directory: string, isMade: (source: number) => boolean): Promise<void> {
  for (const source of (await logsIn(directory)).filter(isMade))
    await rm(logFile(directory, source));
}

/** Renames the logs whose rows are in the new log, and removes empty ones. Returns a line per renamed log. */
async function setLogsAside(
  dataDirectory: string,
  { generations }: RebuiltStore,
): Promise<readonly string[]> {
  const directory = logDirectory(dataDirectory);
  const label = new Date().toISOString();
  const lines: string[] = [];
  for (const source of await logsIn(directory)) {
    if (generations.includes(source)) continue;
    const file = logFile(directory, source);
    const to = `${file}.before-rebuild-${label.replaceAll(':', '-')}`;
    if ((await stat(file)).size === 0) await rm(file);
    else {
      await rename(file, to);
      lines.push(`set aside: ${to}`);
    }
  }
  return lines;
}
