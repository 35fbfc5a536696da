// Temporary files of a few row groups of a segment. The engine prepares each row group of a file that it scans, even if statistics
// exclude it. With hundreds of row groups, that takes more time than reading one.
import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { crc32 } from 'node:zlib';
import { damagedSegmentError, segmentNameOf } from './damaged-segment.js';
import type { CheckedFiles } from './checked-files.js';
import { readGroupSums, type SummedFooter } from './group-sums.js';
import {
  footerOf,
  mark,
  readBytes,
  readFooter,
  type Footer,
  type FooterGroup,
} from './parquet-footer.js';

/** The segment itself is read if it has fewer than `groupsMin` row groups, or if the read needs more than `groupsMax`. */
const groupsMin = 8;
const groupsMax = 16;

const footerBytesMax = 32 * 2 ** 20;

export class RowGroupFiles {
  readonly #checked: CheckedFiles;
  readonly #directory: string;
  readonly #footers = new LRUCache<string, Footer>({
    maxSize: footerBytesMax,
    sizeCalculation: ({ head, groups }) =>
      groups.reduce((sum, { struct }) => sum + struct.length, head.length),
  });

  constructor(checked: CheckedFiles, directory: string) {
    this.#checked = checked;
    this.#directory = directory;
  }

  /**
   * Calls `read` with a file that has the rows of `whole`, a row file, with these numbers in ascending order. It is `whole`
   * itself, or a file that has their row groups and no others and is removed afterwards. Without calling `read` returns null
   * if the row groups have more than `bytesMax` bytes when they are decompressed.
   * @throws RequestError 503 for a damaged segment
   */
  async use<T>(
    whole: string,
    rowNumbers: readonly number[],
    bytesMax: number,
    read: (file: string) => Promise<T>,
  ): Promise<T | null> {
    const sums = this.#checked.isEvicted(whole) ? await readGroupSums(sumsOf(whole)) : null;
    const footer = sums ?? (await this.#footer(whole));
    const groups = footer === null ? [] : groupsWith(footer, rowNumbers);
    if (groups.reduce((sum, { bytes }) => sum + bytes, 0) > bytesMax) return null;
    const isCopied =
      groups.length > 0 &&
      groups.length <= groupsMax &&
      (sums !== null || footer!.groups.length >= groupsMin);
    if (!isCopied) return read(whole);
    const file = path.join(this.#directory, `groups-${randomUUID()}.parquet`);
    try {
      const isWritten =
        sums === null
          ? await this.#write(whole, file, footer!, groups).then(
              () => true,
              // The disk may be full.
              () => false,
            )
          : await this.#writeEvicted(whole, file, sums, groups);
      return await read(isWritten ? file : whole);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Frees the footer of a row file. */
  forget(whole: string): void {
    this.#footers.delete(whole);
  }

  /** Null if it cannot be read: the read of the rows will report that. */
  async #footer(whole: string): Promise<Footer | null> {
    await this.#checked.checkFiles([whole]);
    const known = this.#footers.get(whole);
    if (known !== undefined) return known;
    const footer = await footerIn(whole).catch(() => null);
    if (footer !== null) this.#footers.set(whole, footer);
    return footer;
  }

  /** Writes a sparse file in which everything is where it is in the segment. */
  async #write(
    whole: string,
    file: string,
    footer: Footer,
    groups: readonly FooterGroup[],
  ): Promise<void> {
    const from = await open(whole);
    try {
      await this.#copy(file, footer, groups, ({ start, end }) =>
        readBytes(from, start, end - start),
      );
    } finally {
      await from.close();
    }
  }

  /** The same from the copy of the segment in the bucket. @throws RequestError 503 */
  async #writeEvicted(
    whole: string,
    file: string,
    footer: SummedFooter,
    groups: readonly FooterGroup[],
  ): Promise<true> {
    await this.#copy(file, footer, groups, async (group) => {
      const sum = footer.sums[footer.groups.indexOf(group)];
      for (let attempt = 1; attempt <= 2; attempt++) {
        const bytes = await this.#checked.part(whole, group.start, group.end);
        if (crc32(bytes) === sum) return bytes;
      }
      throw damagedSegmentError(segmentNameOf(whole));
    });
    return true;
  }

  async #copy(
    file: string,
    footer: Footer,
    groups: readonly FooterGroup[],
    read: (group: FooterGroup) => Promise<Buffer>,
  ): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    const to = await open(file, 'wx', 0o600);
    try {
      await writeBytes(to, mark, 0);
      for (const group of groups) await writeBytes(to, await read(group), group.start);
      await writeBytes(to, footerOf(footer, groups), groups.at(-1)!.end);
    } finally {
      await to.close();
    }
  }
}

const sumsOf = (whole: string): string => whole.replace(/\.parquet$/, '.groups');

/** @throws Error if the disk takes only a part of the bytes */
async function writeBytes(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  const { bytesWritten } = await file.write(bytes, 0, bytes.length, start);
  if (bytesWritten < bytes.length) throw new Error('a file of row groups was not written whole');
}

async function footerIn(whole: string): Promise<Footer> {
  const file = await open(whole);
  try {
    return await readFooter(file);
  } finally {
    await file.close();
  }
}

/** The row groups with these rows, in their order. */
function groupsWith({ groups }: Footer, rowNumbers: readonly number[]): readonly FooterGroup[] {
  let endRow = 0;
  let next = 0;
  return groups.filter(({ rows }) => {
    const before = next;
    endRow += rows;
    while (next < rowNumbers.length && rowNumbers[next]! < endRow) next += 1;
    return next > before;
  });
}
