// A high-water mark: a number in a file that records how far durable work came. It is written after the work and never synced, so
// it can be too small but never too large: a start that finds less work has lost some. A checksum detects a damaged number.
import { constants, writeSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const digits = 19;

/** All lines have the same length, so that a new one overwrites the old one. */
function lineOf(number: bigint): string {
  const text = String(number).padStart(digits, '0');
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

/** Returns null if the file is missing or damaged. */
export async function readHighWaterMark(file: string): Promise<bigint | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [found] = /^\d{19}/.exec(text) ?? [];
  return found !== undefined && text === lineOf(BigInt(found)) ? BigInt(found) : null;
}

export class HighWaterMark {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Opens the file and writes `number` to it. */
  static async open(file: string, number: bigint): Promise<HighWaterMark> {
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT);
    const mark = new HighWaterMark(handle);
    mark.write(number);
    await handle.truncate(lineOf(number).length).catch(() => {});
    return mark;
  }

  /** Writes the number to the page cache, which takes a few microseconds. */
  write(number: bigint): void {
    try {
      writeSync(this.#file.fd, lineOf(number), 0);
    } catch {
      // The old number remains valid.
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
