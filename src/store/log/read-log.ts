// Reads the frames of a log file. A crash can truncate or damage the last frame, which was not acknowledged. Damage anywhere else
// is an error, because the rows after it were acknowledged.
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Supersession } from '../row/event-table.js';
import {
  findMagic,
  headBytes,
  isSound,
  readFrameHead,
  supersessionsOf,
  type FrameHead,
} from './frame.js';
import { readBytes } from './large-calls.js';

/** A frame that is followed by sound frames is damaged. */
class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
}

export interface ReadFrame {
  readonly head: FrameHead;
  /** Head and content. */
  readonly bytes: Buffer;
  /** The offset of its first byte in the file. */
  readonly offset: number;
}

/** The frame at `offset`; null unless there is a complete and sound frame of the generation. */
async function frameAt(
  file: FileHandle,
  source: number,
  offset: number,
  end: number,
): Promise<ReadFrame | null> {
  const head = readFrameHead(await readBytes(file, offset, headBytes), source);
  if (head === null || offset + headBytes + head.bytes > end) return null;
  const bytes = await readBytes(file, offset, headBytes + head.bytes);
  return bytes.length === headBytes + head.bytes && isSound(bytes) ? { head, bytes, offset } : null;
}

/**
 * Yields the frames of a generation between the offsets `from` and `to`, which is the end of the file by default. Returns the end
 * of the last frame.
 * @throws DamagedLog if a sound frame follows damage or, with `to`, if any frame before it is damaged
 */
export async function* readFrames(
  logFile: string,
  source: number,
  { from = 0, to }: { readonly from?: number; readonly to?: number } = {},
): AsyncGenerator<ReadFrame, number> {
  const file = await open(logFile, 'r');
  try {
    const end = to ?? (await file.stat()).size;
    let offset = from;
    while (offset < end) {
      const frame = await frameAt(file, source, offset, end);
      if (frame === null) break;
      yield frame;
      offset += frame.bytes.length;
    }
    if (offset < end && (to !== undefined || (await isFollowed(file, source, offset, end))))
      throw new DamagedLog(
        `the log ${path.basename(logFile)} is damaged at byte ${offset}, before rows that were acknowledged: restore the data directory from a backup, or go on without what follows with "evalstore repair"`,
      );
    return offset;
  } finally {
    await file.close();
  }
}

const searchedBytes = 2 ** 20;

/** Whether a sound frame of the generation follows `offset`. */
async function isFollowed(
  file: FileHandle,
  source: number,
  offset: number,
  end: number,
): Promise<boolean> {
  for (let at = offset + 1; at < end; at += searchedBytes) {
    const bytes = await readBytes(file, at, searchedBytes + headBytes);
    for (let found = findMagic(bytes, 0); found !== -1; found = findMagic(bytes, found + 1))
      if ((await frameAt(file, source, at + found, end)) !== null) return true;
  }
  return false;
}

export interface LogContent {
  readonly rows: number;
  /** The end of the last sound frame. */
  readonly end: number;
  /** Null if there is no frame. */
  readonly lastXactId: bigint | null;
  readonly supersessions: readonly Supersession[];
  /** A sentence about damage after that; null without damage. */
  readonly damage: string | null;
}

/** Reads the log of a generation up to the first damage. Does not change the file. */
export async function inspectLog(logFile: string, source: number): Promise<LogContent> {
  let rows = 0;
  let end = 0;
  let lastXactId: bigint | null = null;
  const supersessions: Supersession[] = [];
  const content = (damage: string | null) => ({
    rows,
    end,
    lastXactId,
    supersessions,
    damage,
  });
  try {
    for await (const { head, bytes, offset } of readFrames(logFile, source)) {
      rows += head.rows;
      ({ lastXactId } = head);
      end = offset + bytes.length;
      for (const each of supersessionsOf(bytes, head)) supersessions.push(each);
    }
    return content(null);
  } catch (error) {
    if (error instanceof DamagedLog) return content(error.message);
    throw error;
  }
}
