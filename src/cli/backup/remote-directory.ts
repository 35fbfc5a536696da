// Where backups are: a directory, or a bucket. Their files never change, and each is there as a whole or not at all.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bucketAddress } from '../../bucket/address.js';
import { BucketClient, type ListedObject, type ObjectContent } from '../../bucket/client.js';
import type { Config } from '../../config.js';
import { writeDurably } from '../../durable-file.js';
import { UsageError } from '../context.js';

export interface RemoteDirectory {
  readonly name: string;
  /** Those whose names begin with `prefix`, which ends with a slash. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Opens it at the first chunk. @throws Error with the code ENOENT if it is missing */
  get(key: string): AsyncIterable<Buffer>;
  /** Durable when it resolves; if it or the content fails, the file is not there. */
  put(key: string, content: ObjectContent): Promise<void>;
  delete(key: string): Promise<void>;
  /** Removes what a killed `put` left. A bucket keeps nothing of it. */
  removeUnfinished?(prefix: string): Promise<void>;
  close(): void;
}

const unfinished = '.tmp';

export class LocalDirectory implements RemoteDirectory {
  constructor(readonly name: string) {}

  close(): void {}

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for (const key of await this.#keys(prefix))
      if (!key.endsWith(unfinished)) yield { key, bytes: (await stat(this.#file(key))).size };
  }

  async *get(key: string): AsyncGenerator<Buffer> {
    yield* createReadStream(this.#file(key), { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;
  }

  async put(key: string, { open }: ObjectContent): Promise<void> {
    const file = this.#file(key);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeDurably(file, (temporary) =>
      pipeline(Readable.from(open()), createWriteStream(temporary, { mode: 0o600 })),
    );
  }

  async delete(key: string): Promise<void> {
    await rm(this.#file(key), { force: true });
  }

  async removeUnfinished(prefix: string): Promise<void> {
    for (const key of await this.#keys(prefix))
      if (key.endsWith(unfinished)) await this.delete(key);
  }

  #file(key: string): string {
    return path.join(this.name, key);
  }

  async #keys(prefix: string): Promise<readonly string[]> {
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

/** Calls `work` with a directory or a bucket. @throws UsageError for the address of something else */
export async function withRemote<T>(
  target: string,
  { bucketEndpoint }: Config,
  work: (remote: RemoteDirectory) => Promise<T>,
): Promise<T> {
  const address = bucketAddress(target);
  if (address === null && /^\w+:\/\//.test(target))
    throw new UsageError(`expected a directory or s3://bucket/prefix, got "${target}"`);
  const remote =
    address === null
      ? new LocalDirectory(target)
      : await BucketClient.open(address, { endpoint: bucketEndpoint });
  try {
    return await work(remote);
  } finally {
    remote.close();
  }
}
