// `evalstore restore`: fills an empty directory from a backup, or from the bucket of a server. The database comes last, so that a server
// refuses a part of it.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config.js';
import { sync } from '../../durable-file.js';
import { checkDirectory } from '../check.js';
import { UsageError, type Context } from '../context.js';
import {
  descriptionNames,
  nameOf,
  readDescriptions,
  type BackedUpFile,
  type Description,
} from './description.js';
import { fetchFile } from './fetch-file.js';
import { withProgress, type Progress } from '../progress.js';
import { withRemote, type RemoteDirectory } from './remote-directory.js';
import { readLatestCopy, restoreCopy } from './restore-copy.js';
import { someAtOnce } from './some-at-once.js';
import { database } from './source-files.js';

export interface RestoreOptions {
  readonly at?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** Marks a directory whose restore is not finished. */
const mark = 'restore-unfinished';

interface Files {
  readonly files: readonly BackedUpFile[];
}

const bytesOf = ({ files }: Files): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** @throws Error if there is no backup */
export async function listBackups(
  config: Config,
  { print }: Context,
  backup: string,
  isJson: boolean,
): Promise<void> {
  const rows = (await withRemote(backup, config, readDescriptions)).map((found) => ({
    transaction: found.transaction,
    time: found.time,
    evalstore: found.evalstore,
    files: found.files.length,
    bytes: bytesOf(found),
  }));
  if (isJson) print(JSON.stringify(rows));
  else for (const row of rows) print(Object.values(row).join('  '));
}

async function choose(remote: RemoteDirectory, at: string | undefined): Promise<Description> {
  const all = await readDescriptions(remote);
  const found = all.findLast(({ transaction }) => at === undefined || transaction === at);
  if (found === undefined)
    throw new Error(`${remote.name}: there is no backup of transaction ${at}`);
  return found;
}

/** @throws Error unless the directory is missing, empty, or of an unfinished restore */
async function prepare(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const names = await readdir(directory);
  if (names.length > 0 && (!names.includes(mark) || names.includes(database)))
    throw new Error(`${directory} is not empty: restore into an empty or a new directory`);
  await writeFile(path.join(directory, mark), '');
  await sync(directory);
}

/** The mark of the last transaction comes first, and the database last: a server refuses what is there in between. */
const restoreOrder = ['last-transaction', 'others', `${database}.wal`, database];

const rankOf = ({ path: file }: BackedUpFile): number =>
  restoreOrder.indexOf(restoreOrder.includes(file) ? file : 'others');

async function copyFiles(
  remote: RemoteDirectory,
  { files }: Description,
  directory: string,
  progress: Progress,
): Promise<void> {
  for (const rank of restoreOrder.keys())
    await someAtOnce(
      files.filter((file) => rankOf(file) === rank),
      (file) => fetchFile(remote, nameOf(file), file, directory, progress),
    );
}

interface Restored extends Files, Pick<Description, 'transaction' | 'time'> {
  /** What is not there, in one sentence. */
  readonly lost?: string;
}

async function fromBackup(
  remote: RemoteDirectory,
  context: Context,
  directory: string,
  at: string | undefined,
): Promise<Restored> {
  const chosen = await choose(remote, at);
  await prepare(directory);
  const shown = { label: directory, unit: 'files', totalBytes: bytesOf(chosen) };
  await withProgress(context, shown, (progress) => copyFiles(remote, chosen, directory, progress));
  return chosen;
}

async function fromServer(
  remote: RemoteDirectory,
  context: Context,
  directory: string,
  config: Config,
): Promise<Restored> {
  const latest = await readLatestCopy(remote);
  await prepare(directory);
  const files = await withProgress(context, { label: directory, unit: 'files' }, (progress) =>
    restoreCopy(remote, latest, directory, config, progress),
  );
  const lost =
    'not there: events that were acknowledged later, attachments, and objects of more than 8 KB, which the bucket does not have';
  return { transaction: latest.transaction, time: latest.time, files, lost };
}

/**
 * Returns the exit code: 1 if the restored directory has problems, which are printed.
 * @throws Error if it cannot be done; the command can be run again, or the directory removed
 */
export async function restore(
  config: Config,
  context: Context,
  backup: string,
  directory: string | undefined,
  { at, json }: RestoreOptions,
): Promise<0 | 1> {
  if (directory === undefined) throw new UsageError('expected the directory to fill');
  const restored = await withRemote(backup, config, async (remote) =>
    at === undefined && (await descriptionNames(remote)).length === 0
      ? fromServer(remote, context, directory, config)
      : fromBackup(remote, context, directory, at),
  );
  await rm(path.join(directory, mark), { force: true });
  const { transaction, time, files, lost } = restored;
  if (json !== true) {
    context.print(
      `restored transaction ${transaction} of ${time}: ${files.length} files with ${(bytesOf(restored) / 1e6).toFixed(1)} MB`,
    );
    if (lost !== undefined) context.print(lost);
  }
  return checkDirectory(config, context, json === true);
}
