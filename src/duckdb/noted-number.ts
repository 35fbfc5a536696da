// A number in a file of its own that says how far durable work has come. It is written after each piece of work and never synced,
// so it may be behind what is on disk, and is never ahead: a start that finds less than the number knows that the end of the work
// was lost. A checksum keeps a damaged file from being taken for a larger number, with which sound data would be refused.
import { constants, writeSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const digits = 19;

/** All lines have the same length, so that each replaces the one before. */
function lineOf(number: bigint): string {
  const text = String(number).padStart(digits, '0');
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

/** Null when there is no such file, or when it is not what was written. */
export async function readNoted(file: string): Promise<bigint | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const [found] = /^\d{19}/.exec(text) ?? [];
  return found !== undefined && text === lineOf(BigInt(found)) ? BigInt(found) : null;
}

export class NotedNumber {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** What `number` says is on disk. */
  static async open(file: string, number: bigint): Promise<NotedNumber> {
    const handle = await open(file, constants.O_RDWR | constants.O_CREAT);
    const noted = new NotedNumber(handle);
    noted.write(number);
    await handle.truncate(lineOf(number).length).catch(() => {});
    return noted;
  }

  /** Takes a few microseconds: the page is in memory, and nobody waits for the disk. */
  write(number: bigint): void {
    try {
      writeSync(this.#file.fd, lineOf(number), 0);
    } catch {
      // It stays behind.
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
