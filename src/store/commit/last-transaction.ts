// The last transaction that was acknowledged, in a file beside the database: a start can tell that the end of the database's
// log was lost. It is written after the commit and never synced, so it may be behind what is on disk, and is never ahead.
import { constants, writeSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const fileIn = (dataDirectory: string): string => path.join(dataDirectory, 'last-transaction');

/** Transaction ids have 19 digits. */
const content = /^\d{19}\n$/;

/** Null when there is no such file, or when it was not written whole. */
export async function readLastTransaction(dataDirectory: string): Promise<bigint | null> {
  const text = await readFile(fileIn(dataDirectory), 'utf8').catch(() => '');
  return content.test(text) ? BigInt(text) : null;
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
    return last;
  }

  /** Takes a few microseconds: the page is in memory, and nobody waits for the disk. */
  write(xactId: bigint): void {
    try {
      writeSync(this.#file.fd, `${xactId}\n`, 0);
    } catch {
      // It stays behind.
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
