// The JSON texts of large objects, each in a file in `objects/` beside the database. To change a row, DuckDB reads and rewrites up to
// 2,048 neighbouring rows in memory, so rows must be small. A file is on disk before the transaction that names it, is never changed,
// and has the SHA-256 of its content as its name.
import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../duckdb/connection.js';
import { hasTable } from '../duckdb/has-table.js';
import { sql } from '../duckdb/sql.js';
import { isFileSystemError, sync, writeDurably } from '../durable-file.js';
import { RequestError, storageFailed, unavailableHeaders } from '../errors.js';

/** The length of the longest text in a row, in bytes. */
export const inRowBytesMax = 8192;

const nameOf = (content: Uint8Array): string => `${hash('sha256', content)}.json`;

const damagedText = (name: string): string =>
  `the file objects/${name} is missing or damaged: restore it from a backup`;

const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';

export interface WrittenFile {
  readonly name: string;
  /** Whether the file was there before. */
  readonly wasThere: boolean;
}

export class BodyFiles {
  readonly #directory: string;

  constructor(dataDirectory: string) {
    this.#directory = path.resolve(dataDirectory, 'objects');
  }

  #pathOf(name: string): string {
    return path.join(this.#directory, name);
  }

  /** Removes unfinished files of an earlier process. */
  async removeUnfinished(): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    await this.remove(names.filter((name) => name.endsWith('.tmp')));
  }

  /** @throws RequestError 503 if the disk is full or cannot be written */
  async write(body: string): Promise<WrittenFile> {
    const content = Buffer.from(body);
    const name = nameOf(content);
    const target = this.#pathOf(name);
    let wasThere = true;
    try {
      const created = await mkdir(this.#directory, { recursive: true });
      if (created !== undefined) await sync(path.dirname(this.#directory));
      wasThere = (await stat(target).catch(() => null)) !== null;
      await writeDurably(target, (temporary) => writeFile(temporary, content));
      return { name, wasThere };
    } catch (error) {
      if (!wasThere) await this.remove([name]);
      if (isFileSystemError(error)) throw storageFailed(error);
      throw error;
    }
  }

  /** Null if the file is missing or damaged. */
  async read(name: string): Promise<string | null> {
    const content = await readFile(this.#pathOf(name)).catch((error: unknown) => {
      if (isFileSystemError(error) || isMissing(error)) return null;
      throw error;
    });
    return content !== null && nameOf(content) === name ? content.toString() : null;
  }

  /** A file that cannot be removed stays. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#pathOf(name), { force: true }).catch(() => {});
  }
}

/** A request needs a file that is missing or damaged. */
export class DamagedFileError extends RequestError {
  constructor(name: string) {
    super(503, damagedText(name), unavailableHeaders);
  }
}

/** The names of all files that the database names. */
export async function bodyFileNames(
  connection: Pick<Connection, 'read'>,
): Promise<readonly string[]> {
  if (!(await hasTable(connection, 'object_version'))) return [];
  const rows = await connection.read(sql`
    SELECT file FROM catalog_object WHERE file IS NOT NULL
    UNION SELECT file FROM object_version WHERE file IS NOT NULL ORDER BY file`);
  return rows.map(({ file }) => file as string);
}

/** Returns a sentence for each file that is missing or damaged. Changes nothing. */
export async function checkBodyFiles(
  dataDirectory: string,
  connection: Pick<Connection, 'read'>,
): Promise<readonly string[]> {
  const files = new BodyFiles(dataDirectory);
  const problems: string[] = [];
  for (const file of await bodyFileNames(connection))
    if ((await files.read(file)) === null) problems.push(damagedText(file));
  return problems;
}
