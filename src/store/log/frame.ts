// A frame of the log: the rows of one group of requests and their supersessions, under one checksum, so that a group is recovered
// whole or not at all. The layout, in little-endian numbers:
//
//   0  uint32  magic                         16  uint32  number of its first row
//   4  uint32  CRC-32 of what follows        20  uint32  rows
//   8  uint32  bytes of the content          24  uint32  supersessions
//  12  uint32  generation                    28  int64   last transaction
//  36  content: records (see record.ts), then supersessions of 16 bytes each: uint32 source, uint32 row, int64 by_xact_id
import { crc32 } from 'node:zlib';
import type { NewRow } from '../../event/row.js';
import type { Supersession } from '../row/event-table.js';
import { recordBytes, recordBytesMax, textsOf, writeRecord } from './record.js';
import type { RowPosition } from './record.js';

/** These bytes are not valid UTF-8, so no text of a client can look like a frame. The third byte is the version. */
const magic = Buffer.from([0xfe, 0xf5, 0x01, 0xff]);

export const headBytes = 36;
const supersessionBytes = 16;
const firstPieceBytes = 16 * 2 ** 10;
const pieceBytes = 2 ** 20;

export interface FrameHead {
  /** The length of the content. */
  readonly bytes: number;
  readonly rows: number;
  readonly supersessions: number;
  readonly lastXactId: bigint;
}

/** Builds a frame: first all rows, then all supersessions. The frame is in pieces, so that a large one is never copied. */
export class FrameBuilder {
  readonly #full: Buffer[] = [];
  #buffer = Buffer.allocUnsafeSlow(firstPieceBytes);
  #end = headBytes;
  #rows = 0;

  /** Returns the size of the row in bytes. */
  addRow(row: NewRow, position: RowPosition): number {
    const texts = textsOf(row);
    this.#reserve(recordBytesMax(texts));
    const start = this.#end;
    this.#end = writeRecord(this.#buffer, start, row, texts, position);
    this.#rows += 1;
    return this.#end - start;
  }

  /** Returns the frame in pieces; the first one begins with the head. Nothing may be added afterwards. */
  finish(
    source: number,
    firstRow: number,
    lastXactId: bigint,
    supersessions: readonly Supersession[],
  ): readonly Buffer[] {
    this.#reserve(supersessions.length * supersessionBytes);
    for (const { source: of, row, byXactId } of supersessions) {
      this.#buffer.writeUInt32LE(of, this.#end);
      this.#buffer.writeUInt32LE(row, this.#end + 4);
      this.#buffer.writeBigInt64LE(byXactId, this.#end + 8);
      this.#end += supersessionBytes;
    }
    const pieces = [...this.#full, this.#buffer.subarray(0, this.#end)];
    const [first, ...others] = pieces as [Buffer, ...Buffer[]];
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    magic.copy(first);
    const numbers = [bytes - headBytes, source, firstRow, this.#rows, supersessions.length];
    for (const [index, number] of numbers.entries()) first.writeUInt32LE(number, 8 + 4 * index);
    first.writeBigInt64LE(lastXactId, 28);
    const checksum = others.reduce((crc, piece) => crc32(piece, crc), crc32(first.subarray(8)));
    first.writeUInt32LE(checksum, 4);
    return pieces;
  }

  #reserve(bytes: number): void {
    const { length } = this.#buffer;
    if (this.#end + bytes <= length) return;
    this.#full.push(this.#buffer.subarray(0, this.#end));
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(2 * length, pieceBytes)));
    this.#end = 0;
  }
}

/** Returns null if the bytes are not the head of a frame of the generation. */
export function readFrameHead(head: Buffer, source: number): FrameHead | null {
  if (head.length < headBytes || !head.subarray(0, 4).equals(magic)) return null;
  if (head.readUInt32LE(12) !== source) return null;
  return {
    bytes: head.readUInt32LE(8),
    rows: head.readUInt32LE(20),
    supersessions: head.readUInt32LE(24),
    lastXactId: head.readBigInt64LE(28),
  };
}

/** @param frame head and content */
export const isSound = (frame: Buffer): boolean =>
  crc32(frame.subarray(8)) === frame.readUInt32LE(4);

/** The offset of the next magic number from `from` on; -1 if there is none. */
export const findMagic = (bytes: Buffer, from: number): number => bytes.indexOf(magic, from);

/** The offsets of the records in a frame. */
export function* recordStarts(frame: Buffer, { rows }: FrameHead): Generator<number, number> {
  let start = headBytes;
  for (let row = 0; row < rows; row++) {
    yield start;
    start += recordBytes(frame, start);
  }
  return start;
}

export function supersessionsOf(frame: Buffer, head: FrameHead): readonly Supersession[] {
  const first = frame.length - head.supersessions * supersessionBytes;
  return Array.from({ length: head.supersessions }, (_, index) => {
    const at = first + index * supersessionBytes;
    return {
      source: frame.readUInt32LE(at),
      row: frame.readUInt32LE(at + 4),
      byXactId: frame.readBigInt64LE(at + 8),
    };
  });
}
