// An in-memory index from id hashes to the row numbers of one segment. Ids that the segment does not have cost no read.
import type { IndexHash } from './segment-index.js';

const rowsPerBucket = 4;
const headerBytes = 16;
const magic = 0x45494458;
const formatVersion = 1;

const bucketBits = (rows: number): number =>
  Math.max(0, Math.min(28, Math.floor(Math.log2(Math.max(1, rows) / rowsPerBucket))));

/** The first bits of a hash select its bucket, and the next 32 bits are stored. One id in 2 ** 30 collides with another. */
export class IdIndex {
  readonly #bits: number;
  /** The start of each bucket, and the end of the last one. */
  readonly #starts: Uint32Array;
  readonly #rests: Uint32Array;
  readonly #rows: Uint32Array;

  private constructor(bits: number, starts: Uint32Array, rests: Uint32Array, rows: Uint32Array) {
    this.#bits = bits;
    this.#starts = starts;
    this.#rests = rests;
    this.#rows = rows;
  }

  /** `entries` in the order of their hashes; `count` of them. */
  static async build(
    count: number,
    entries: AsyncIterable<readonly (readonly [IndexHash, number])[]>,
  ): Promise<IdIndex> {
    const bits = bucketBits(count);
    const index = new IdIndex(
      bits,
      new Uint32Array(2 ** bits + 1),
      new Uint32Array(count),
      new Uint32Array(count),
    );
    let at = 0;
    for await (const chunk of entries) for (const [hash, row] of chunk) index.#put(at++, hash, row);
    index.#sumStarts();
    return index;
  }

  /** Decodes the output of `bytes`; null for other bytes. */
  static parse(bytes: Uint8Array): IdIndex | null {
    if (bytes.byteLength < headerBytes) return null;
    const words = new Uint32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.byteLength & ~3)),
    );
    const [first, version, bits = 0, count = 0] = words;
    const buckets = 2 ** bits + 1;
    const expected = headerBytes + 4 * (buckets + 2 * count);
    if (first !== magic || version !== formatVersion || bytes.byteLength !== expected) return null;
    const data = words.subarray(headerBytes / 4);
    return new IdIndex(
      bits,
      data.subarray(0, buckets),
      data.subarray(buckets, buckets + count),
      data.subarray(buckets + count),
    );
  }

  bytes(): Uint8Array {
    const header = Uint32Array.of(magic, formatVersion, this.#bits, this.#rests.length);
    return Buffer.concat(
      [header, this.#starts, this.#rests, this.#rows].map(({ buffer, byteOffset, byteLength }) =>
        Buffer.from(buffer, byteOffset, byteLength),
      ),
    );
  }

  /** The number of rows. */
  get rows(): number {
    return this.#rows.length;
  }

  /** The candidates for an id: almost always none, or exactly its rows. */
  find(hash: IndexHash): readonly number[] {
    const [bucket, rest] = this.#parts(hash);
    const rows: number[] = [];
    for (let at = this.#starts[bucket]!; at < this.#starts[bucket + 1]!; at++)
      if (this.#rests[at] === rest) rows.push(this.#rows[at]!);
    return rows;
  }

  #parts({ high, low }: IndexHash): readonly [bucket: number, rest: number] {
    const bits = this.#bits;
    if (bits === 0) return [0, high];
    return [high >>> (32 - bits), ((high << bits) | (low >>> (32 - bits))) >>> 0];
  }

  #put(at: number, hash: IndexHash, row: number): void {
    const [bucket, rest] = this.#parts(hash);
    this.#starts[bucket + 1]! += 1;
    this.#rests[at] = rest;
    this.#rows[at] = row;
  }

  // Prefix sums turn counts into starts.
  #sumStarts(): void {
    for (let bucket = 1; bucket < this.#starts.length; bucket++)
      this.#starts[bucket]! += this.#starts[bucket - 1]!;
  }
}
