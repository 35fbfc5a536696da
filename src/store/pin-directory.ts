// A pinned copy of the data directory at one transaction, for a backup beside the running server. Files that never change, and logs, are
// linked, so that they stay until the links are removed; the database is copied while no transaction runs.
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { filesBeside } from '../duckdb/transaction-count.js';
import type { Writer } from '../duckdb/writer.js';
import { lastTransactionFile } from './log/last-transaction.js';
import type { StoreState } from './manifest/store-state.js';
import type { StoreParts } from './store-parts.js';

/** Directories of the catalog, whose files never change. */
const catalogDirectories = ['objects', 'attachments'];

export interface PinnedDirectory {
  readonly directory: string;
  /** The last transaction that it has. */
  readonly transaction: bigint;
  /** The names of the logs in `log`, and the bytes up to that transaction: the server appends to them. */
  readonly logs: Readonly<Record<string, number>>;
}

class Links {
  readonly #from: string;
  readonly #to: string;
  readonly #made = new Set<string>();

  constructor(from: string, to: string) {
    this.#from = path.resolve(from);
    this.#to = path.resolve(to);
  }

  /** Links a file, unless that was done before or it is not there. */
  async add(file: string): Promise<void> {
    if (this.#made.has(file)) return;
    await this.#make(file, (to) => link(file, to));
    this.#made.add(file);
  }

  async copy(
    file: string,
    copy = (to: string) => copyFile(file, to, constants.COPYFILE_FICLONE),
  ): Promise<void> {
    await this.#make(file, copy);
  }

  async #make(file: string, make: (to: string) => Promise<void>): Promise<void> {
    const to = path.join(this.#to, path.relative(this.#from, path.resolve(file)));
    await mkdir(path.dirname(to), { recursive: true });
    await make(to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

type Parts = Pick<StoreParts, 'committer' | 'files' | 'log' | 'reclamation'>;

async function linkFixed(
  { files }: Parts,
  state: StoreState,
  dataDirectory: string,
  links: Links,
): Promise<void> {
  for (const segment of state.segments)
    for (const { file } of files.of(segment)) await links.add(file);
  for (const name of catalogDirectories) {
    const directory = path.join(dataDirectory, name);
    for (const file of await readdir(directory).catch(() => []))
      if (!file.endsWith('.tmp')) await links.add(path.join(directory, file));
  }
}

/**
 * Makes the copy in `target`, a new directory of the same file system. Writes wait while the files that are new since its first
 * pass are linked and the database is copied.
 * @throws an error of the file system, also if it has no links
 */
export async function pinDirectory(
  parts: Parts,
  writer: Writer,
  target: string,
): Promise<PinnedDirectory> {
  const from = writer.directory;
  const database = path.join(from, 'meta.duckdb');
  const links = new Links(from, target);
  const unpin = parts.reclamation.pin();
  try {
    await mkdir(target, { recursive: true });
    await linkFixed(parts, parts.committer.state, from, links);
    let transaction = 0n;
    const logs: Record<string, number> = {};
    const copyRest = async (state: StoreState, copyDatabase: (to: string) => Promise<void>) => {
      await linkFixed(parts, state, from, links);
      for (const { source } of [...state.sealed, state.active]) {
        const file = parts.log.fileOf(source);
        await links.add(path.resolve(file));
        logs[path.basename(file)] = parts.log.endOf(source);
      }
      await links.copy(database, copyDatabase);
      for (const file of [...filesBeside(database), lastTransactionFile(from)])
        await links.copy(file);
      transaction = state.lastXactId;
      return null;
    };
    await parts.committer.change((state) => writer.alone((copy) => copyRest(state, copy)));
    return { directory: path.resolve(target), transaction, logs };
  } finally {
    unpin();
  }
}
