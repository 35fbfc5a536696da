// Decompresses the bytes of a file, or of an entry of an archive.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import { RowError, type Bytes } from './row.js';

async function* gunzipped(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes);
  const stream = createGunzip();
  source.on('error', (error) => stream.destroy(error));
  try {
    yield* source.pipe(stream) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw new RowError(null, `the gzip is damaged: ${(error as Error).message}`);
  }
}

/** @throws RowError for damaged bytes */
export async function* unzstd(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  const decompress = new Decompress((part) => parts.push(part));
  const pushed = (part: Uint8Array, isLast: boolean) => {
    try {
      decompress.push(part, isLast);
    } catch (error) {
      throw new RowError(null, `the zstd is damaged: ${(error as Error).message}`);
    }
    const done = parts;
    parts = [];
    return done;
  };
  for await (const part of bytes) yield* pushed(part, false);
  yield* pushed(new Uint8Array(), true);
}

/** Whole files in a compression, by their first bytes. */
export const compressions = [
  { magic: Buffer.from([0x1f, 0x8b]), decompress: gunzipped },
  { magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), decompress: unzstd },
];
