// Copies of a file that the engine of this process has open and locked. The system releases all locks of a process on a file when the
// process closes any descriptor of it, so the descriptor for the copies stays open until the engine has closed the file.
import { closeSync, openSync, read } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const chunkBytes = 2 ** 22;

const readChunk = promisify(read);

export class LockedFile {
  readonly #file: string;
  #descriptor: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** The number of descriptors that are open. */
  get handles(): number {
    return this.#descriptor === undefined ? 0 : 1;
  }

  /** @param target a new file; it is not synced */
  async copyTo(target: string): Promise<void> {
    const from = (this.#descriptor ??= openSync(this.#file, 'r'));
    const to = await open(target, 'wx');
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let position = 0; ;) {
        const { bytesRead } = await readChunk(from, buffer, 0, chunkBytes, position);
        if (bytesRead === 0) return;
        await to.writeFile(buffer.subarray(0, bytesRead));
        position += bytesRead;
      }
    } finally {
      await to.close();
    }
  }

  /** Call it only when the engine has closed the file. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
