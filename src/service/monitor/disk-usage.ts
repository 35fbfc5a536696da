// The bytes of the folders of the data directory. They are measured in the background, at most once a minute, when a scrape asks for
// them: to look at each of a hundred thousand files takes seconds.
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

const everyMs = 60_000;

/** The folders that have a number of their own. `other`: the databases, and what Evalstore did not write. */
const named = ['attachments', 'log', 'objects', 'segments', 'tmp'] as const;

export type Folder = (typeof named)[number] | 'other';

const folderOf = (name: string): Folder => named.find((each) => each === name) ?? 'other';

/** Without files that are removed meanwhile. */
async function bytesOf(file: string, entry: Dirent): Promise<number> {
  if (!entry.isDirectory()) {
    const { size } = await lstat(file).catch(() => ({ size: 0 }));
    return size;
  }
  let sum = 0;
  for (const each of await entriesOf(file)) sum += await bytesOf(path.join(file, each.name), each);
  return sum;
}

const entriesOf = (directory: string): Promise<readonly Dirent[]> =>
  readdir(directory, { withFileTypes: true }).catch(() => []);

export class DiskUsage {
  readonly #directory: string;
  #bytes: ReadonlyMap<Folder, number> = new Map();
  #measuredAt = -Infinity;

  constructor(dataDirectory: string) {
    this.#directory = dataDirectory;
  }

  /** The bytes that were measured last; none before the first measurement ends. Starts the next one if that was a minute ago. */
  get bytes(): ReadonlyMap<Folder, number> {
    const now = performance.now();
    if (now >= this.#measuredAt + everyMs) {
      this.#measuredAt = now;
      void this.#measure();
    }
    return this.#bytes;
  }

  async #measure(): Promise<void> {
    const bytes = new Map<Folder, number>([...named, 'other' as const].map((name) => [name, 0]));
    for (const entry of await entriesOf(this.#directory)) {
      const folder = folderOf(entry.name);
      const more = await bytesOf(path.join(this.#directory, entry.name), entry);
      bytes.set(folder, bytes.get(folder)! + more);
    }
    this.#bytes = bytes;
  }
}
