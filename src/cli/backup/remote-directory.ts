// A directory of files that never change, for backups. A file is there as a whole or not at all.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeDurably } from '../../durable-file.js';

export interface RemoteDirectory {
  readonly name: string;
  /** The sizes of all files whose names begin with `prefix/`, by name. */
  list(prefix: string): Promise<ReadonlyMap<string, number>>;
  get(name: string): AsyncIterable<Buffer>;
  /** Durable when it resolves; if it or `content` fails, the file is not there. */
  put(name: string, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes what a killed `put` of such a name left. */
  removeUnfinished(prefix: string): Promise<void>;
}

const unfinished = '.tmp';

export class LocalDirectory implements RemoteDirectory {
  constructor(readonly name: string) {}

  async list(prefix: string): Promise<ReadonlyMap<string, number>> {
    const names = (await this.#names(prefix)).filter((name) => !name.endsWith(unfinished));
    const sizes = new Map<string, number>();
    for (const name of names) sizes.set(name, (await stat(this.#file(name))).size);
    return sizes;
  }

  /** Opens the file at the first chunk. */
  async *get(name: string): AsyncGenerator<Buffer> {
    yield* createReadStream(this.#file(name), { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;
  }

  async put(name: string, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const file = this.#file(name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeDurably(file, (temporary) =>
      pipeline(Readable.from(content), createWriteStream(temporary, { mode: 0o600 })),
    );
  }

  async remove(name: string): Promise<void> {
    await rm(this.#file(name), { force: true });
  }

  async removeUnfinished(prefix: string): Promise<void> {
    for (const name of await this.#names(prefix))
      if (name.endsWith(unfinished)) await this.remove(name);
  }

  #file(name: string): string {
    return path.join(this.name, name);
  }

  async #names(prefix: string): Promise<readonly string[]> {
    const entries = await readdir(this.#file(prefix), {
      recursive: true,
      withFileTypes: true,
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(this.name, path.join(entry.parentPath, entry.name)));
  }
}
