// Runs work on a copy of the database, and then replaces the database by the copy. The old one is kept under another name.
import { copyFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../duckdb/database.js';
import { isEngineError } from '../../duckdb/engine-error.js';
import { filesBeside } from '../../duckdb/transaction-count.js';
import { lockedError, Writer, type WriterSettings } from '../../duckdb/writer.js';
import { sync } from '../file/durable-file.js';

export interface Replaced<T> {
  readonly result: T;
  /** The former database; null when there was none. */
  readonly former: string | null;
  /** False when the work began with an empty database, since the former one is missing or cannot be read. */
  readonly isCopy: boolean;
}

const logOf = (file: string): string => `${file}.wal`;

/** Moves the files beside one database to another one. */
async function moveBeside(file: string, other: string): Promise<void> {
  const names = filesBeside(other);
  for (const [index, name] of filesBeside(file).entries())
    if (existsSync(name)) await rename(name, names[index]!);
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
  const locked = await lock(file, dataDirectory, settings);
  try {
    await removeWork(made);
    if (locked !== null) {
      await copyFile(file, made);
      await copyIfThere(logOf(file), logOf(made));
    }
    const result = await fill(made, settings, work);
    await locked?.close();
    return { result, former: await swap(file, made), isCopy: locked !== null };
  } catch (error) {
    await locked?.close();
    await removeWork(made);
    throw error;
  }
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
  await copyIfThere(file, former);
  await moveBeside(file, former);
  await rename(made, file);
  await moveBeside(made, file);
  await sync(path.dirname(file));
  return isThere ? former : null;
}
