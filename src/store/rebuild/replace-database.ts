// Runs work on a copy of the database, and then replaces the database by the copy. The old one is kept under another name.
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../duckdb/database.js';
import { isEngineError } from '../../duckdb/engine-error.js';
import { filesBeside } from '../../duckdb/transaction-count.js';
import { lockedError, Writer, type WriterSettings } from '../../duckdb/writer.js';
import { sync, writeDurably } from '../../durable-file.js';

export interface Replaced<T> {
  readonly result: T;
  /** The former database; null when there was none. */
  readonly former: string | null;
  /** False when the work began with an empty database, since the former one is missing or cannot be read. */
  readonly isCopy: boolean;
}

const logOf = (file: string): string => `${file}.wal`;

async function moveIfThere(from: string, to: string): Promise<void> {
  if (existsSync(from)) await rename(from, to);
}

/** Moves the files beside one database to another one. */
async function moveBeside(file: string, other: string): Promise<void> {
  const names = filesBeside(other);
  for (const [index, name] of filesBeside(file).entries()) await moveIfThere(name, names[index]!);
}

async function copyIfThere(from: string, to: string): Promise<void> {
  if (existsSync(from)) await copyFile(from, to);
}

/**
 * @throws EngineError `locked` when a server uses the directory, and what `work` throws; the database is as it was then
 */
export async function replaceDatabase<T>(
  dataDirectory: string,
  settings: WriterSettings,
  work: (writer: Writer) => Promise<T>,
): Promise<Replaced<T>> {
  const file = path.join(dataDirectory, 'meta.duckdb');
  const made = `${file}.rebuilding`;
  let locked: Database | null = null;
  try {
    const copied = await copyDatabase(file, made);
    locked = await lock(file, dataDirectory, settings);
    if (locked === null) await removeWork(made);
    else if ((await stateOf(file)) !== copied) throw lockedError(file);
    const result = await fill(made, settings, work);
    await locked?.close();
    return { result, former: await swap(file, made), isCopy: locked !== null };
  } catch (error) {
    await locked?.close();
    await removeWork(made);
    throw error;
  }
}

/** Returns the state of the copied database. Not under the lock: to close a file releases every lock that the process has on it. */
async function copyDatabase(file: string, made: string): Promise<string> {
  await removeWork(made);
  const state = await stateOf(file);
  await copyIfThere(file, made);
  await copyIfThere(logOf(file), logOf(made));
  return state;
}

/** Changes with each write to the database. */
async function stateOf(file: string): Promise<string> {
  const states = [file, logOf(file)].map(async (name) => {
    const found = await stat(name, { bigint: true }).catch(() => null);
    return `${found?.ino} ${found?.size} ${found?.mtimeNs}`;
  });
  return (await Promise.all(states)).join();
}

async function removeWork(made: string): Promise<void> {
  for (const file of [made, ...filesBeside(made)]) await rm(file, { force: true });
}

/** Locks the database against servers. Returns null if there is no readable one. */
async function lock(
  file: string,
  dataDirectory: string,
  settings: WriterSettings,
): Promise<Database | null> {
  if (!existsSync(file)) return null;
  const temporaryDirectory = path.join(dataDirectory, 'tmp', 'rebuild');
  const options = { ...settings, temporaryDirectory, allowedDirectories: [], readOnly: true };
  try {
    return await Database.open(file, options);
  } catch (error) {
    if (isEngineError(error, 'locked')) throw lockedError(file);
    return null;
  }
}

async function fill<T>(
  made: string,
  settings: WriterSettings,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const writer = await Writer.open(made, settings);
  try {
    return await work(writer);
  } finally {
    await writer.close();
  }
}

async function swap(file: string, made: string): Promise<string | null> {
  const label = new Date().toISOString().replaceAll(':', '-');
  const former = `${file}.before-rebuild-${label}`;
  const isThere = existsSync(file);
  // It is on disk before the database is replaced.
  if (isThere) await writeDurably(former, (temporary) => copyFile(file, temporary));
  await moveIfThere(logOf(file), logOf(former));
  // Until here, the count of transactions beside the former database shows that its log is missing.
  await rename(made, file);
  await moveBeside(file, former);
  await moveBeside(made, file);
  await sync(path.dirname(file));
  return isThere ? former : null;
}
