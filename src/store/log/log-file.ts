// The log of one generation, open for appends. A frame is on disk when `append` resolves. A failed frame is truncated before the
// next one is written, so no acknowledged frame follows a damaged one, and before the generation is sealed.
import { constants, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { UnknownOutcomeError, storageFailed } from '../../errors.js';
import type { SyncPointHook } from '../file/sync-point.js';
import { lengthOf, NothingWritten, writePieces } from './large-calls.js';

export class LogFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #reached: SyncPointHook;
  #end: number;
  /** Whether bytes of a failed frame may follow the end. */
  #isUnclean: boolean;

  private constructor(path: string, file: FileHandle, end: number, reached: SyncPointHook) {
    this.path = path;
    this.#file = file;
    this.#end = end;
    this.#isUnclean = true;
    this.#reached = reached;
  }

  /** @param end the end of the last sound frame, to which the file is truncated */
  static async open(path: string, end: number, reached: SyncPointHook): Promise<LogFile> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT);
    const log = new LogFile(path, file, end, reached);
    log.#isUnclean = (await log.#file.stat()).size > end;
    return log;
  }

  /** Creates an empty log, and empties an existing file. */
  static async create(path: string, reached: SyncPointHook): Promise<LogFile> {
    const log = await LogFile.open(path, 0, reached);
    try {
      await log.#clean();
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * Appends the pieces of a frame, syncs the file, and returns the offset of the frame.
   * @throws RequestError 503 if it cannot be written, UnknownOutcomeError if recovery may find it after a crash
   */
  async append(frame: readonly Buffer[]): Promise<number> {
    const offset = this.#end;
    await this.removeFailedFrame();
    this.#isUnclean = true;
    try {
      await writePieces(this.#file, frame, offset);
      await this.#reached('log-written');
      await this.#file.datasync();
    } catch (error) {
      if (error instanceof NothingWritten) this.#isUnclean = false;
      else
        await this.#clean().catch(() => {
          throw new UnknownOutcomeError(error);
        });
      throw storageFailed(error);
    }
    this.#isUnclean = false;
    this.#end += lengthOf(frame);
    await this.#reached('log-synced');
    return offset;
  }

  /**
   * Truncates what a failed frame may have left.
   * @throws RequestError 503 if that fails
   */
  async removeFailedFrame(): Promise<void> {
    if (!this.#isUnclean) return;
    await this.#clean().catch((error: unknown) => {
      throw storageFailed(error);
    });
  }

  /** Reads bytes of a sound frame, synchronously: they are almost always in the page cache. */
  read(offset: number, bytes: number): Buffer {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const count = readSync(this.#file.fd, buffer, filled, bytes - filled, offset + filled);
      if (count === 0) throw new Error(`the log ${this.path} ends before byte ${offset + bytes}`);
      filled += count;
    }
    return buffer;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #clean(): Promise<void> {
    await this.#file.truncate(this.#end);
    await this.#file.datasync();
    this.#isUnclean = false;
  }
}
