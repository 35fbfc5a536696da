// The log of one generation, opened for writing. What `append` resolves for is on disk; what it rejects for is cut off again
// before anything else is written, so that an acknowledged frame never follows a damaged one.
import { constants, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { storageFailed } from '../../errors.js';
import { UnknownOutcomeError } from '../../duckdb/writer.js';
import type { Reached } from '../step.js';

/** The file is as it was before: there is nothing to cut off, which a storage that cannot be written would refuse, too. */
class NothingWritten extends Error {
  constructor(cause: unknown) {
    super('the log cannot be written', { cause });
  }
}

/** Errors with which a kernel refuses to write before it writes anything. */
const isRefused = (error: unknown): boolean =>
  ['EROFS', 'EPERM', 'EACCES'].includes(String((error as NodeJS.ErrnoException | null)?.code));

export class LogFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #reached: Reached;
  #end: number;
  /** There may be bytes behind the end, of a frame that could not be written. */
  #isUnclean: boolean;

  private constructor(path: string, file: FileHandle, end: number, reached: Reached) {
    this.path = path;
    this.#file = file;
    this.#end = end;
    this.#isUnclean = true;
    this.#reached = reached;
  }

  /** `end` is where the last sound frame ends; what lies behind it is cut off. */
  static async open(path: string, end: number, reached: Reached): Promise<LogFile> {
    const log = new LogFile(
      path,
      await open(path, constants.O_RDWR | constants.O_CREAT),
      end,
      reached,
    );
    log.#isUnclean = (await log.#file.stat()).size > end;
    return log;
  }

  /** An empty one, whatever the file had. */
  static async create(path: string, reached: Reached): Promise<LogFile> {
    const log = await LogFile.open(path, 0, reached);
    await log.#clean();
    return log;
  }

  get end(): number {
    return this.#end;
  }

  /**
   * Returns the offset of the frame, which is on disk. Takes its pieces in their order.
   * @throws RequestError 503 when it cannot be written, UnknownOutcomeError when it may be there after a crash
   */
  async append(frame: readonly Buffer[]): Promise<number> {
    const offset = this.#end;
    if (this.#isUnclean)
      await this.#clean().catch((error: unknown) => {
        throw storageFailed(error);
      });
    this.#isUnclean = true;
    try {
      await this.#write(frame, offset);
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

  /** Bytes of a sound frame. They are most often in memory, so that nobody waits for the disk. */
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

  async #write(frame: readonly Buffer[], offset: number): Promise<void> {
    let at = offset;
    for (let left = frame; left.length > 0; left = behind(frame, at - offset))
      try {
        at += (await this.#file.writev(left, at)).bytesWritten;
      } catch (error) {
        throw at === offset && isRefused(error) ? new NothingWritten(error) : error;
      }
  }

  async #clean(): Promise<void> {
    await this.#file.truncate(this.#end);
    await this.#file.datasync();
    this.#isUnclean = false;
  }
}
const lengthOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

/** What is left of the pieces behind so many bytes. */
function behind(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  let skipped = 0;
  return pieces.flatMap((piece) => {
    const from = bytes - skipped;
    skipped += piece.length;
    return from < piece.length ? piece.subarray(Math.max(0, from)) : [];
  });
}
