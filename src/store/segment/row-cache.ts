// A cache of blocks of rows that were looked up more than once, in temporary files. Reading one row from Parquet
// decompresses thousands.
import { mkdir, statfs } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import { textLength } from '../row/event-table.js';
import { groupBy } from '../row/group-by.js';
import type { CheckedFiles } from './checked-files.js';
import type { LookupEngine } from './lookup-engine.js';
import { RowBlock } from './row-block.js';
import { RecentRows } from './recent-rows.js';
import type { SegmentRow } from './row-text.js';
import { defaultSegmentSettings } from './segment-writer.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';

export interface RowCacheSettings {
  /** The directory of the files. */
  readonly directory: string;
  /** The total size of the files, if the disk has room for four times as much. */
  readonly bytesMax: number;
  /** Free bytes of the disk that it leaves. */
  readonly reserved: () => number;
  /** Blocks that are not used for this time are removed. */
  readonly idleMs: number;
}

/** The rows of a block: a row group, which the engine has to read anyway. */
const blockRows = defaultSegmentSettings.rowGroupRows;
/** The number of rows of a block that the engine reads before the block is copied. A copy costs as much as three reads. */
const directRows = 1;
/** The number of further rows that the engine reads before a copy that failed is tried again. */
const directRowsAfterFailure = 100;

/** The number of blocks, each of which has an open file. */
const blocksMax = 4000;

const diskShare = 4;

/** The limit on the size of the blocks: `bytesMax`, but at most a quarter of the space that would be free without them. */
export const cacheBytesMax = (bytesMax: number, used: number, free: number): number =>
  Math.min(bytesMax, Math.floor((used + free) / diskShare));

type MaybeBlock = Promise<RowBlock | null> | RowBlock | null | undefined;

export interface CachedRows {
  readonly rows: readonly SegmentRow[];
  /** Row numbers that have to be read from the segment itself. */
  readonly missing: readonly number[];
  /** The size of the rows. If it exceeds the limit, the rest of the cached rows is in neither list. */
  readonly bytes: number;
}

/** The result of reading rows of a block; null if it is damaged. */
interface BlockRead {
  readonly numbers: readonly number[];
  readonly rows: readonly SegmentRow[] | null;
}

export class RowCache {
  readonly #engine: LookupEngine;
  readonly #files: SegmentFiles;
  readonly #checked: CheckedFiles;
  readonly #settings: RowCacheSettings;
  readonly #blocks: LRUCache<string, RowBlock>;
  readonly #recent = new RecentRows();
  readonly #loading = new Map<string, Promise<RowBlock | null>>();
  /** The number of rows that were read, by source and block. */
  readonly #reads = new Map<number, Map<number, number>>();
  /** One at a time, since inserts need the processor too. */
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #sweep: NodeJS.Timeout;

  constructor(
    engine: LookupEngine,
    files: SegmentFiles,
    checked: CheckedFiles,
    settings: RowCacheSettings,
  ) {
    this.#engine = engine;
    this.#files = files;
    this.#checked = checked;
    this.#settings = settings;
    this.#blocks = new LRUCache({
      max: blocksMax,
      maxSize: settings.bytesMax,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: settings.idleMs,
      updateAgeOnGet: true,
      dispose: (block) => void block.remove().catch(() => {}),
    });
    this.#sweep = setInterval(() => this.#blocks.purgeStale(), settings.idleMs).unref();
  }

  /** Reads the rows that are in the cache, up to `bytesMax` bytes. */
  async peek(
    segment: SegmentName,
    rowNumbers: readonly number[],
    bytesMax: number,
  ): Promise<CachedRows> {
    return this.#read(segment, rowNumbers, bytesMax, (block) =>
      this.#blocks.get(keyOf(segment, block)),
    );
  }

  /** Copies blocks that were read before, and reads their rows, up to `bytesMax` bytes. */
  async read(
    segment: SegmentName,
    rowNumbers: readonly number[],
    bytesMax: number,
  ): Promise<CachedRows> {
    return this.#read(segment, rowNumbers, bytesMax, (block, rows) => {
      const known = this.#blocks.get(keyOf(segment, block));
      if (known !== undefined || !this.#isWorthIt(segment, block, rows)) return known;
      return this.#load(segment, block);
    });
  }

  /** Copies in the background the blocks of these rows that were looked up before. */
  copyLater(segment: SegmentName, rowNumbers: readonly number[]): void {
    for (const block of byBlock(rowNumbers).keys())
      if (!this.#blocks.has(keyOf(segment, block)) && this.#isWorthIt(segment, block, 1))
        void this.#load(segment, block);
  }

  /** Removes the blocks of a segment. */
  forget({ source }: SegmentName): void {
    this.#reads.delete(source);
    for (const key of this.#blocks.keys())
      if (key.startsWith(`${source}-`)) this.#blocks.delete(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#queue.onIdle();
    const blocks = [...this.#blocks.values()];
    this.#blocks.clear();
    await Promise.all(blocks.map((block) => block.remove().catch(() => {})));
  }

  /** Looks blocks up one after the other, so that none is copied beyond the limit. */
  async #read(
    segment: SegmentName,
    rowNumbers: readonly number[],
    bytesMax: number,
    blockOf: (block: number, rows: number) => MaybeBlock,
  ): Promise<CachedRows> {
    const reads: Promise<BlockRead>[] = [];
    const recentRows: SegmentRow[] = [];
    const missing: number[] = [];
    let bytes = 0;
    for (const [block, numbers] of byBlock(rowNumbers)) {
      if (bytes > bytesMax) break;
      const recent = this.#recent.get(segment.source, numbers);
      const found = recent === null ? await blockOf(block, numbers.length) : null;
      if (recent !== null) {
        for (const { values } of recent) bytes += textLength(values);
        recentRows.push(...recent);
      } else if (found) {
        const first = firstRows(found, numbers, bytesMax - bytes);
        bytes += first.bytes;
        reads.push(this.#readBlock(segment, found, first.numbers));
      } else missing.push(...numbers);
    }
    const read = await Promise.all(reads);
    const damaged = read.flatMap(({ rows, numbers }) => (rows === null ? numbers : []));
    const rows = [...recentRows, ...read.flatMap((each) => each.rows ?? [])];
    return { rows, missing: [...missing, ...damaged], bytes };
  }

  async #readBlock(
    { source }: SegmentName,
    block: RowBlock,
    numbers: readonly number[],
  ): Promise<BlockRead> {
    const rows = await block.read(numbers).catch(() => null);
    this.#recent.add(source, rows ?? []);
    return { numbers, rows };
  }

  #isWorthIt({ source }: SegmentName, block: number, rows: number): boolean {
    let counts = this.#reads.get(source);
    if (counts === undefined) this.#reads.set(source, (counts = new Map()));
    const before = counts.get(block) ?? 0;
    counts.set(block, before + rows);
    return before + rows > directRows;
  }

  #load(segment: SegmentName, block: number): Promise<RowBlock | null> {
    const key = keyOf(segment, block);
    const known = this.#loading.get(key);
    if (known !== undefined) return known;
    // Without the copy the segment is read, and that read reports the damage.
    const loading = this.#queue
      .add(() => this.#copy(segment, block, key))
      .catch(() => null)
      .then((copied) => copied ?? this.#giveUp(segment, block))
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #giveUp({ source }: SegmentName, block: number): null {
    this.#reads.get(source)?.set(block, directRows - directRowsAfterFailure);
    return null;
  }

  /** Returns whether there is room for a copy. */
  async #keepRoom(): Promise<boolean> {
    const { directory, bytesMax, reserved } = this.#settings;
    const { bavail, bsize } = await statfs(directory);
    const free = Math.max(0, bavail * bsize - reserved());
    const room = cacheBytesMax(bytesMax, this.#blocks.calculatedSize, free);
    while (this.#blocks.calculatedSize > room) this.#blocks.pop();
    return room > 0;
  }

  async #copy(segment: SegmentName, block: number, key: string): Promise<RowBlock | null> {
    const { directory } = this.#settings;
    await mkdir(directory, { recursive: true });
    if (!(await this.#keepRoom())) return null;
    const segmentFile = this.#files.rows(segment);
    if (this.#checked.isEvicted(segmentFile)) return null;
    await this.#checked.checkFiles([segmentFile]);
    const copied = await this.#engine.use((connection) =>
      RowBlock.write(connection, {
        segmentFile,
        firstRow: block * blockRows,
        rows: blockRows,
        file: path.join(directory, `${key}.txt`),
      }),
    );
    this.#blocks.set(key, copied);
    if (this.#blocks.has(key)) return copied;
    // The block is larger than the cache.
    await copied.remove();
    return null;
  }
}

const keyOf = ({ source }: SegmentName, block: number): string => `${source}-${block}`;

const byBlock = (rowNumbers: readonly number[]): ReadonlyMap<number, readonly number[]> =>
  groupBy(rowNumbers, (row) => Math.floor(row / blockRows));

/** The first rows with at most `bytesMax` bytes; `bytes` includes the row that exceeds them. */
function firstRows(block: RowBlock, rowNumbers: readonly number[], bytesMax: number) {
  const numbers: number[] = [];
  let bytes = 0;
  for (const row of rowNumbers) {
    bytes += block.bytesOf(row);
    if (bytes > bytesMax) break;
    numbers.push(row);
  }
  return { numbers, bytes };
}
