// The contents of attachments, one file each in a directory of their own. A file is complete or absent.
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { isFileSystemError, writeDurably } from '../../durable-file.js';
import { badRequest, storageFailed, unavailable } from '../../errors.js';

async function append(handle: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) {
    await handle.writeFile(chunk);
    bytes += chunk.length;
  }
  return bytes;
}

const directoryOf = (dataDirectory: string): string => path.resolve(dataDirectory, 'attachments');

const missingText = (file: string): string =>
  `the file attachments/${file} is missing or damaged: restore it from a backup`;

async function isThere(target: string, bytes: number): Promise<boolean> {
  const found = await stat(target).catch(() => null);
  return found?.size === bytes;
}

/** Returns a sentence for each file that is missing or has another size. Changes nothing. */
export async function checkAttachments(
  dataDirectory: string,
  files: readonly { readonly file: string; readonly bytes: number }[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { file, bytes } of files)
    if (!(await isThere(path.join(directoryOf(dataDirectory), file), bytes)))
      problems.push(missingText(file));
  return problems;
}

export class AttachmentFiles {
  readonly #directory: string;
  readonly #writing = new Set<string>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Creates the directory, and removes unfinished files of an earlier process. */
  static async open(dataDirectory: string): Promise<AttachmentFiles> {
    const directory = directoryOf(dataDirectory);
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory))
      if (name.endsWith('.tmp')) await rm(path.join(directory, name), { force: true });
    return new AttachmentFiles(directory);
  }

  /**
   * Runs an upload from its checks to its record while no other upload of the file runs.
   * @throws RequestError 400 if another one runs
   */
  async whileWriting<T>(file: string, upload: () => Promise<T>): Promise<T> {
    if (this.#writing.has(file)) throw badRequest('the attachment is being uploaded already');
    this.#writing.add(file);
    try {
      return await upload();
    } finally {
      this.#writing.delete(file);
    }
  }

  /**
   * Writes the chunks as they arrive. When it resolves, the file is on disk; when it rejects, there is no unfinished file.
   * To be called inside `whileWriting`.
   * @param file the name of the file
   * @returns the number of bytes
   * @throws RequestError 503 if the disk is full; the errors of `chunks`
   */
  async write(file: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    let bytes = 0;
    try {
      await writeDurably(path.join(this.#directory, file), async (temporary) => {
        const handle = await open(temporary, 'w', 0o600);
        try {
          bytes = await append(handle, chunks);
        } finally {
          await handle.close();
        }
      });
      return bytes;
    } catch (error) {
      if (isFileSystemError(error)) throw storageFailed(error);
      throw error;
    }
  }

  /** Whether an upload of the file runs. */
  isWriting(file: string): boolean {
    return this.#writing.has(file);
  }

  /**
   * @param bytes the recorded size of the file
   * @param part the bytes to read, the last one included; null for all
   * @throws RequestError 503 if it is missing or has another size
   */
  async read(
    file: string,
    bytes: number,
    part: { readonly first: number; readonly last: number } | null = null,
  ): Promise<Readable> {
    const target = path.join(this.#directory, file);
    if (!(await isThere(target, bytes))) throw unavailable(missingText(file));
    return createReadStream(target, part === null ? {} : { start: part.first, end: part.last });
  }

  async remove(file: string): Promise<void> {
    await rm(path.join(this.#directory, file), { force: true });
  }
}
