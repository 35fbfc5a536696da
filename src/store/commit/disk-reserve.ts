// Keeps the last bytes of the disk for what frees it: the flush of the buffered rows, a merge, and the catalog. Inserts are
// refused before they take these bytes.
import { statfs } from 'node:fs/promises';
import { diskReserved } from '../../errors.js';
import type { StoreState } from '../manifest/store-state.js';

/** In bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

export type MeasureDisk = (directory: string) => Promise<DiskSpace>;

export const measureDisk: MeasureDisk = async (directory) => {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, total: blocks * bsize };
};

/** The reserve and what is free, in bytes, when inserts begin to be refused or are accepted again. */
export interface ReserveChange {
  readonly isRefusing: boolean;
  readonly free: number;
  readonly reserve: number;
}

export interface ReserveSettings {
  readonly directory: string;
  /** In bytes, besides what a flush needs; 0 for no reserve at all. */
  readonly reserveBytes: number;
  readonly measure: MeasureDisk;
  /** Returns the current state. */
  readonly state: () => Pick<StoreState, 'sealed' | 'active'>;
  /** Called when inserts begin to be refused, and when they are accepted again. */
  readonly changed: (change: ReserveChange) => void;
}

/** A measurement is used for this time; what the log gets meanwhile is subtracted. */
const freshMs = 250;
/** While inserts are refused, the disk is measured this often. */
const refusingMs = 500;
/** The largest share of a small disk that is kept besides what a flush needs. */
const diskShare = 1 / 10;
/** Inserts are accepted again when the log can take this share of the reserve, so that a few bytes do not switch them on and off. */
const resumeShare = 1 / 16;
/** More than the bytes of a segment by byte of its rows in the log: random rows take 0.7 to 0.9. */
const segmentShare = 1.25;
/** More than what a merge writes by byte of the row files that it reads: copies of runs, and all files of the new segment. */
const mergeShare = 2.5;

/**
 * What the flush of these generations needs, in bytes: the segments of all, since snapshots can keep every log, and the temporary
 * file of the largest one.
 */
export const flushBytes = (generations: readonly { readonly bytes: number }[]): number =>
  Math.ceil(generations.reduce((sum, { bytes }) => sum + segmentShare * bytes, 0)) +
  Math.max(0, ...generations.map(({ bytes }) => bytes));

/** A byte of the log takes its own place, and what its flush needs. */
const bytesByLogByte = 2 + segmentShare;

export class DiskReserve {
  readonly #settings: ReserveSettings;
  #space: DiskSpace = { free: Infinity, total: Infinity };
  #measuredAt = -Infinity;
  #measuring: Promise<void> | undefined;
  /** What the running merge needs. */
  #mergeBytes = 0;
  #isRefusing = false;
  #timer: NodeJS.Timeout | undefined;
  /** Requests that were refused since the start. */
  refused = 0;

  private constructor(settings: ReserveSettings) {
    this.#settings = settings;
  }

  static async open(settings: ReserveSettings): Promise<DiskReserve> {
    const reserve = new DiskReserve(settings);
    await reserve.refresh();
    return reserve;
  }

  /** Call it for bytes that were added to the log. */
  appended(bytes: number): void {
    this.#space = { ...this.#space, free: this.#space.free - bytes };
  }

  /** What inserts leave free: what a flush and a merge need. */
  get bytes(): number {
    return this.#isOff ? 0 : Math.max(this.#kept, this.#mergeBytes) + this.#flushBytes;
  }

  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Measures the disk unless that was done a moment ago; undefined if there is nothing to wait for. */
  refresh(): Promise<void> | undefined {
    if (this.#isOff || performance.now() - this.#measuredAt < freshMs) return undefined;
    return (this.#measuring ??= this.#measure().finally(() => (this.#measuring = undefined)));
  }

  /**
   * The bytes that the log can take.
   * @param areDeletions whether the events are deletions alone: they lead to less, and may use what is kept for a merge
   */
  room(areDeletions: boolean): number {
    if (this.#isOff) return Infinity;
    const reserve = areDeletions ? this.#flushBytes : this.bytes;
    return (this.#space.free - reserve) / bytesByLogByte;
  }

  /** @throws RequestError 503 unless the log can take these bytes */
  check(bytes: number, areDeletions: boolean): void {
    const isOpen = areDeletions || !this.#isRefusing;
    if (isOpen && bytes <= this.room(areDeletions)) return;
    this.refused += 1;
    if (!this.#hasResumed) this.#refuse();
    throw diskReserved();
  }

  /** The largest merge that leaves what a flush needs, in bytes of the row files that it reads. */
  get mergeRoom(): number {
    return this.#isOff ? Infinity : (this.#space.free - this.#flushBytes) / mergeShare;
  }

  /** What temporary files of reads can take, in bytes. */
  get temporaryRoom(): number {
    return this.#isOff ? Infinity : Math.max(0, this.#space.free - this.bytes);
  }

  /** Runs a merge that reads these bytes, and keeps what it needs. */
  async merging<T>(bytes: number, merge: () => Promise<T>): Promise<T> {
    this.#mergeBytes = bytes * mergeShare;
    try {
      return await merge();
    } finally {
      this.#mergeBytes = 0;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get #flushBytes(): number {
    const { sealed, active } = this.#settings.state();
    return flushBytes([...sealed, active]);
  }

  get #isOff(): boolean {
    return this.#settings.reserveBytes === 0;
  }

  get #kept(): number {
    return Math.min(this.#settings.reserveBytes, this.#space.total * diskShare);
  }

  get #hasResumed(): boolean {
    return this.room(false) >= this.#kept * resumeShare;
  }

  /** A disk that cannot be measured says so when it is written. */
  async #measure(): Promise<void> {
    const { directory, measure } = this.#settings;
    const space = await measure(directory).catch(() => null);
    this.#measuredAt = performance.now();
    if (space !== null) this.#space = space;
  }

  #refuse(): void {
    if (this.#isRefusing) return;
    this.#isRefusing = true;
    this.#timer = setInterval(() => void this.#tryAgain(), refusingMs).unref();
    this.#report();
  }

  async #tryAgain(): Promise<void> {
    await this.refresh();
    if (!this.#isRefusing || !this.#hasResumed) return;
    this.#isRefusing = false;
    clearInterval(this.#timer);
    this.#report();
  }

  #report(): void {
    const { isRefusing, bytes: reserve } = this;
    this.#settings.changed({ isRefusing, free: this.#space.free, reserve });
  }
}
