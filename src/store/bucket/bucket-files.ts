// Files of segments that are only in the bucket: whole ones come back to the disk, parts of row files are read where they are.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import PQueue from 'p-queue';
import { isFileSystemError, writeDurably } from '../../durable-file.js';
import { temporaryFull, unavailable } from '../../errors.js';
import type { SyncPointHook } from '../file/sync-point.js';
import type { CheckedFile, EvictedFiles } from '../segment/checked-files.js';
import type { FileChecksum } from '../segment/file-checksum.js';
import { objectKey, type Bucket } from './objects.js';

/** Files that come back at the same time. */
const atOnce = 8;
/** What is missing or damaged is so in the bucket, not on the way, if the next answer says the same. */
const attempts = 2;

export interface BucketFilesDeps {
  readonly bucket: Bucket;
  readonly queryBytesMax: number;
  readonly reached: SyncPointHook;
  /** Called after a file came back. */
  readonly brought: () => void;
}

class Damaged extends Error {}

export class BucketFiles implements EvictedFiles {
  readonly #parts: BucketFilesDeps;
  readonly #queue = new PQueue({ concurrency: atOnce });

  constructor(parts: BucketFilesDeps) {
    this.#parts = parts;
  }

  get queryBytesMax(): number {
    return this.#parts.queryBytesMax;
  }

  /** What has no copy there is missed by `bring`. `.idx` and `.ids` stay on the disk. */
  has({ kind }: CheckedFile): boolean {
    return kind === 'parquet' || kind === 'narrow' || kind === 'ended';
  }

  async bring(file: CheckedFile, expected: FileChecksum): Promise<string | null> {
    const problem = await this.#queue.add(() => this.#bring(file, expected));
    this.#parts.brought();
    return problem ?? null;
  }

  async part(file: CheckedFile, start: number, end: number): Promise<Buffer> {
    const key = objectKey(file.segment, file.path);
    for (let attempt = 1; ; attempt++) {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of this.#parts.bucket.get(key, { start, end })) chunks.push(chunk);
        return Buffer.concat(chunks);
      } catch (error) {
        if (!isMissing(error) || attempt === attempts) throw this.#toReadError(error, key);
      }
    }
  }

  async #bring(file: CheckedFile, expected: FileChecksum): Promise<string | null> {
    const { bucket, reached } = this.#parts;
    const key = objectKey(file.segment, file.path);
    for (let attempt = 1; ; attempt++)
      try {
        await writeDurably(file.path, async (temporary) => {
          const content = verified(bucket.get(key), expected);
          await pipeline(Readable.from(content), createWriteStream(temporary));
          await reached('file-fetched');
        });
        await reached('file-brought');
        return null;
      } catch (error) {
        if ((error instanceof Damaged || isMissing(error)) && attempt < attempts) continue;
        if (error instanceof Damaged) return `${bucket.name}/${key} ${error.message}`;
        if (isMissing(error)) return `it is neither here nor in ${bucket.name}`;
        throw this.#toReadError(error, key);
      }
  }

  #toReadError(error: unknown, key: string): unknown {
    if (isFileSystemError(error)) return temporaryFull();
    if (!(error instanceof Error) || error.name !== 'BucketError') return error;
    return unavailable(
      `${this.#parts.bucket.name}/${key} is only in the bucket, which cannot be read: try again later`,
      error,
    );
  }
}

const isMissing = (error: unknown): boolean =>
  (error as Error).name === 'BucketError' && (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Passes the chunks on. @throws Damaged at their end if they are not the file */
async function* verified(
  chunks: AsyncIterable<Buffer>,
  expected: FileChecksum,
): AsyncGenerator<Buffer> {
  let found: FileChecksum = { bytes: 0, crc32: 0 };
  for await (const chunk of chunks) {
    found = { bytes: found.bytes + chunk.length, crc32: crc32(chunk, found.crc32) };
    yield chunk;
  }
  if (found.bytes !== expected.bytes)
    throw new Damaged(`has ${found.bytes} bytes instead of ${expected.bytes}`);
  if (found.crc32 !== expected.crc32) throw new Damaged('has a wrong checksum');
}
