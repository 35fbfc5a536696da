// Answers that are kept for some time, each in a temporary file, so that clients can read parts of them. A file is removed when its
// time is over and on shutdown; the start empties the directory.
import { randomUUID } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { isFileSystemError } from '../../durable-file.js';
import { storageFailed, temporaryFull, unavailable } from '../../errors.js';
import { openFiles } from '../../open-files.js';

export interface KeptFile {
  readonly name: string;
  /** In bytes. */
  readonly length: number;
}

export interface KeptLimits {
  /** The bytes of all files of an owner. */
  readonly ownerMax: number;
  readonly totalMax: number;
}

const defaultLimits = { ownerMax: 2 ** 30, totalMax: 2 ** 32 };

interface Entry {
  readonly owner: string;
  length: number;
  timer?: NodeJS.Timeout;
}

export class KeptFiles {
  readonly #directory: string;
  readonly #hasRoom: () => Promise<boolean>;
  readonly #limits: KeptLimits;
  readonly #entries = new Map<string, Entry>();
  readonly #ofOwners = new Map<string, number>();
  #total = 0;

  /** @param hasRoom whether the disk has room for temporary files */
  constructor(
    dataDirectory: string,
    hasRoom: () => Promise<boolean>,
    limits: KeptLimits = defaultLimits,
  ) {
    this.#directory = path.resolve(dataDirectory, 'tmp');
    this.#hasRoom = hasRoom;
    this.#limits = limits;
  }

  /**
   * Writes the chunks to a new file. When it rejects, there is no file.
   * @param lifetimeMs milliseconds until the file is removed
   * @throws RequestError 503 if the files would be larger than the limits, too many files are open, the disk is almost full, or `removeAll` is called
   * meanwhile; the errors of `chunks`
   */
  async keep(
    owner: string,
    lifetimeMs: number,
    chunks: AsyncIterable<string | Uint8Array>,
  ): Promise<KeptFile> {
    const name = `download-${randomUUID()}`;
    const entry: Entry = { owner, length: 0 };
    this.#entries.set(name, entry);
    try {
      await this.#write(name, entry, chunks);
      this.#requireListed(name);
    } catch (error) {
      await this.#remove(name);
      await rm(this.#pathOf(name), { force: true });
      throw isFileSystemError(error) ? storageFailed(error) : error;
    }
    entry.timer = setTimeout(() => void this.#remove(name), lifetimeMs).unref();
    return { name, length: entry.length };
  }

  /**
   * Undefined if the file was removed.
   * @param part the bytes to read, the last one included; null for all
   */
  async read(
    { name }: KeptFile,
    part: { readonly first: number; readonly last: number } | null,
  ): Promise<Readable | undefined> {
    if (!this.#entries.has(name)) return undefined;
    const handle = await open(this.#pathOf(name), 'r');
    return handle.createReadStream(part === null ? {} : { start: part.first, end: part.last });
  }

  /** Removes all files. Those that are being written are refused. */
  async removeAll(): Promise<void> {
    for (const name of this.#entries.keys()) await this.#remove(name);
  }

  readonly #pathOf = (name: string): string => path.join(this.#directory, name);

  async #write(
    name: string,
    entry: Entry,
    chunks: AsyncIterable<string | Uint8Array>,
  ): Promise<void> {
    let handle: FileHandle | null = null;
    try {
      // A source whose reading never began would leave its own files behind, so the first chunk comes before the file.
      for await (const chunk of chunks) {
        if (!(await this.#hasRoom())) throw temporaryFull();
        handle ??= await this.#create(name);
        const bytes = Buffer.from(chunk);
        this.#requireListed(name);
        this.#count(entry, bytes.length);
        await handle.writeFile(bytes);
      }
      handle ??= await this.#create(name);
    } finally {
      if (handle !== null) {
        await handle.close();
        openFiles.remove();
      }
    }
  }

  #requireListed(name: string): void {
    if (!this.#entries.has(name))
      throw unavailable('the answer was removed while it was written: request it again');
  }

  async #create(name: string): Promise<FileHandle> {
    await openFiles.take(1);
    try {
      return await open(this.#pathOf(name), 'wx', 0o600);
    } catch (error) {
      openFiles.remove();
      throw error;
    }
  }

  #count(entry: Entry, bytes: number): void {
    const ofOwner = (this.#ofOwners.get(entry.owner) ?? 0) + bytes;
    const { ownerMax, totalMax } = this.#limits;
    if (ofOwner > ownerMax || this.#total + bytes > totalMax)
      throw unavailable(
        `the server keeps at most ${ownerMax / 2 ** 20} MB of answers that are read in parts for a key, and ${totalMax / 2 ** 20} MB for all keys: read the whole answer with GET without Range, or try again when other URLs have expired`,
      );
    entry.length += bytes;
    this.#add(entry.owner, bytes);
  }

  #add(owner: string, bytes: number): void {
    const ofOwner = (this.#ofOwners.get(owner) ?? 0) + bytes;
    this.#total += bytes;
    if (ofOwner === 0) this.#ofOwners.delete(owner);
    else this.#ofOwners.set(owner, ofOwner);
  }

  async #remove(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    clearTimeout(entry.timer);
    this.#add(entry.owner, -entry.length);
    await rm(this.#pathOf(name), { force: true });
  }
}
