// The last transaction that was acknowledged, in a file beside the database: a start can tell that the end of the database's
// log was lost. It is written after the commit and never synced, so it may be behind what is on disk, and is never ahead. Its
// checksum keeps a damaged file from being taken for a later transaction, with which a sound database would be refused.
import { constants, writeSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';

const fileIn = (dataDirectory: string): string => path.join(dataDirectory, 'last-transaction');

/** Transaction ids have 19 digits, so that each line replaces the one before. */
function lineOf(xactId: bigint): string {
  const text = String(xactId).padStart(19, '0');
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

/** Null when there is no such file, or when it is not what was written. */
export async function readLastTransaction(dataDirectory: string): Promise<bigint | null> {
  const text = await readFile(fileIn(dataDirectory), 'utf8').catch(() => '');
  const [digits] = /^\d{19}/.exec(text) ?? [];
  return digits !== undefined && text === lineOf(BigInt(digits)) ? BigInt(digits) : null;
}

export class LastTransaction {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** `xactId` is on disk. */
  static async open(dataDirectory: string, xactId: bigint): Promise<LastTransaction> {
    const file = await open(fileIn(dataDirectory), constants.O_RDWR | constants.O_CREAT);
    const last = new LastTransaction(file);
    last.write(xactId);
    await file.truncate(lineOf(xactId).length).catch(() => {});
    return last;
  }

  /** Takes a few microseconds: the page is in memory, and nobody waits for the disk. */
  write(xactId: bigint): void {
    try {
      writeSync(this.#file.fd, lineOf(xactId), 0);
    } catch {
      // It stays behind.
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
