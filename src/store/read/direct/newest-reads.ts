// Reads of the newest rows of an object in page order, without a query: buffered rows from the log, and then those at the ends of its
// segments. All rows belong to one state of the store, as in `point-reads`.
import { isEngineError } from '../../../duckdb/engine-error.js';
import type { EventRow } from '../../../schema/event-row.js';
import type { PageOrderKey } from '../../log/event-log.js';
import { textLength } from '../../row/event-table.js';
import type { Segment } from '../../segment/segment.js';
import type { StoreState } from '../../manifest/store-state.js';
import {
  bytesMax,
  groupBytesMax,
  rowsMax,
  type FoundRows,
  type PointReadOptions,
  type PointReadDeps,
} from './point-reads.js';
import type { ReadTimes } from '../engine/read-session.js';

/** The first `count` rows in page order, or all rows up to the first one of a further trace after `count` traces. */
export interface NewestRows {
  readonly unit: 'rows' | 'traces';
  readonly count: number;
}

export interface FoundPage extends FoundRows {
  /** In page order. */
  readonly rows: readonly EventRow[];
  /** Whether there are rows beyond the page. */
  readonly hasMore: boolean;
}

/** The largest number of buffered rows of an object that are sorted, which takes 2 ms. */
const bufferedMax = 20_000;
/** Limits on the buffered rows whose keys are read, and on their bytes: they are read in one turn of the event loop. */
const keysMax = 2000;
const keyedBytesMax = 8 * 2 ** 20;

/** Rows that are read beyond those of the page, since some may be superseded. */
const spareRows = 8;

/** Thrown for a page that a query has to read. */
class TooMuch extends Error {}

export class NewestReads {
  readonly #parts: PointReadDeps;

  constructor(parts: PointReadDeps) {
    this.#parts = parts;
  }

  /**
   * Finds the first page of the live rows of an object, in a turn of `client`.
   * @returns null if the caller has to run a query: the rows are many or large, or a publication intervened
   * @throws RequestError 503 for a damaged segment, 429 if too many reads wait; the signal's reason if it is aborted
   */
  async find(
    objectId: string,
    wanted: NewestRows,
    client: string,
    signal?: AbortSignal,
  ): Promise<FoundPage | null> {
    const unpin = this.#parts.reclamation.pin();
    const started = performance.now();
    const times: ReadTimes = { waited: 0, read: 0, isWaiting: false };
    try {
      const found = await this.#find(objectId, wanted, { client, signal, times });
      times.read = performance.now() - started - times.waited;
      return found;
    } catch (error) {
      if (error instanceof TooMuch || isEngineError(error, 'memory', 'storage')) return null;
      throw error;
    } finally {
      unpin();
    }
  }

  async #find(
    objectId: string,
    wanted: NewestRows,
    options: PointReadOptions,
  ): Promise<FoundPage | null> {
    const { committer } = this.#parts;
    const { publication } = committer.state;
    const ends = new SegmentEnds(this.#parts, objectId, committer.state);
    for (let count = wanted.count + spareRows; ; count *= 2) {
      const { state, lastWrites } = committer;
      if (state.publication !== publication) return null;
      const page = this.#page(objectId, wanted, ends);
      if (page.isFull || ends.isComplete) {
        const version = state.lastXactId;
        const identity = (ids: readonly string[]) => lastWrites.identity(ids, version, state);
        return { version, rows: page.rows, hasMore: page.isFull, times: options.times, identity };
      }
      await ends.extend(count, options);
    }
  }

  /** The page of the current state, as far as the rows in `ends` suffice. */
  #page(objectId: string, wanted: NewestRows, ends: SegmentEnds): NewestPage {
    const { index } = this.#parts.committer;
    const page = new NewestPage(wanted);
    this.#addBuffered(objectId, page);
    const known = new Set<string>();
    for (const row of ends.rows) {
      if (page.isFull) break;
      // Later versions come first.
      if (known.has(row.id) || index.find(objectId, row.id) !== undefined) continue;
      known.add(row.id);
      if (!row._deleted) page.add(row.root_span_id, () => row);
    }
    return page;
  }

  #addBuffered(objectId: string, page: NewestPage): void {
    const { log } = this.#parts;
    let bytes = 0;
    for (const { source, row, trace } of this.#bufferedKeys(objectId)) {
      page.add(Buffer.from(trace, 'latin1').toString(), () => {
        bytes += log.bytesOf(source, row);
        if (page.rows.length >= rowsMax || bytes > bytesMax) throw new TooMuch();
        return log.eventAt(source, row);
      });
      if (page.isFull) return;
    }
  }

  /** The keys of the buffered live rows, in page order. */
  *#bufferedKeys(objectId: string): Generator<PageOrderKey> {
    const { log } = this.#parts;
    let transaction: PageOrderKey[] = [];
    let [count, bytes] = [0, 0];
    const limited = function* (source: number, rows: Int32Array) {
      for (const row of rows) {
        bytes += log.bytesOf(source, row);
        if (++count > keysMax || bytes > keyedBytesMax) throw new TooMuch();
        yield row;
      }
    };
    for (const [source, rows] of this.#newestFirst(objectId))
      for (const key of log.pageOrderKeys(source, limited(source, rows))) {
        if (transaction[0] !== undefined && transaction[0].xactId !== key.xactId) {
          yield* transaction.sort(inPageOrder);
          transaction = [];
        }
        transaction.push(key);
      }
    yield* transaction.sort(inPageOrder);
  }

  /** The generations with buffered live rows, newest first, and the numbers of these rows, which ascend with transactions. */
  #newestFirst(objectId: string): readonly (readonly [number, Int32Array])[] {
    const generations = this.#parts.committer.index.ofObject(objectId);
    if (generations.reduce((sum, { size }) => sum + size, 0) > bufferedMax) throw new TooMuch();
    return generations.map((ids, age) => {
      const newer = generations.slice(0, age);
      const live: number[] = [];
      let source = 0;
      for (const [id, location] of ids) {
        ({ source } = location);
        if (!location.deleted && !newer.some((later) => later.has(id))) live.push(location.row);
      }
      return [source, Int32Array.from(live).sort().reverse()];
    });
  }
}

const inPageOrder = (a: PageOrderKey, b: PageOrderKey): number => {
  if (a.trace === b.trace) return b.position - a.position;
  return a.trace < b.trace ? 1 : -1;
};

/** A page, which grows row by row in page order. */
class NewestPage {
  readonly #wanted: NewestRows;
  readonly #traces = new Set<string>();
  readonly rows: EventRow[] = [];
  /** Whether a row was refused, since it belongs to the next page. */
  isFull = false;

  constructor(wanted: NewestRows) {
    this.#wanted = wanted;
  }

  /** Adds the next row in page order, or finds that the page is full. */
  add(rootSpanId: string, read: () => EventRow): void {
    const { unit, count } = this.#wanted;
    const fitsOnPage =
      unit === 'rows'
        ? this.rows.length < count
        : this.#traces.has(rootSpanId) || this.#traces.size < count;
    this.isFull = !fitsOnPage;
    if (!fitsOnPage) return;
    this.#traces.add(rootSpanId);
    this.rows.push(read());
  }
}

/** The last rows of an object in its segments, newest first: these are sorted in the reverse page order. */
class SegmentEnds {
  readonly #parts: PointReadDeps;
  readonly #objectId: string;
  /** Those with rows of the object that were not read yet, oldest first. */
  readonly #segments: Segment[];
  /** The row number before which the rows of the last segment were not read yet. */
  #endRow: number;
  readonly rows: EventRow[] = [];
  #bytes = 0;

  constructor(parts: PointReadDeps, objectId: string, state: StoreState) {
    this.#parts = parts;
    this.#objectId = objectId;
    this.#segments = state.segments.filter(({ objects }) => objects.has(objectId));
    if (this.#dividesTransactions(state)) throw new TooMuch();
    this.#endRow = this.#endOfLast();
  }

  /**
   * Whether two sources can have rows of one transaction, and then neither has the page order: a flush in parts can divide one
   * between segments. In a rebuilt manifest, buffered rows can be the rest of it.
   */
  #dividesTransactions({ sealed: [oldest], active }: StoreState): boolean {
    const stats = this.#segments.map(({ objects }) => objects.get(this.#objectId)!);
    const { afterXactId } = oldest ?? active;
    return stats.some(({ maxXactId }, index) => {
      const next = stats[index + 1];
      return next === undefined ? maxXactId > afterXactId : maxXactId >= next.minXactId;
    });
  }

  /** Whether `rows` has all row versions in segments. */
  get isComplete(): boolean {
    return this.#segments.length === 0;
  }

  /** Reads up to `count` further rows of one segment, in a turn of the queue. */
  async extend(count: number, { client, signal, times }: PointReadOptions): Promise<void> {
    const started = performance.now();
    const endTurn = await this.#parts.queue.turn(client, signal);
    times.waited += performance.now() - started;
    try {
      await this.#read(count);
    } finally {
      endTurn();
    }
  }

  async #read(count: number): Promise<void> {
    const segment = this.#segments.at(-1)!;
    const { firstRow } = segment.objects.get(this.#objectId)!;
    const from = Math.max(firstRow, this.#endRow - count);
    if (this.rows.length + this.#endRow - from > rowsMax) throw new TooMuch();
    const numbers = Array.from({ length: this.#endRow - from }, (_, index) => from + index);
    const limits = { bytesMax, groupBytesMax };
    const found = await this.#parts.lookup.wholeRows(segment, numbers, limits);
    if (found === null) throw new TooMuch();
    for (const number of numbers.toReversed()) {
      const row = found.get(number)!;
      this.rows.push(row);
      this.#bytes += textLength(row);
    }
    if (this.#bytes > bytesMax) throw new TooMuch();
    this.#endRow = from;
    if (from > firstRow) return;
    this.#segments.pop();
    this.#endRow = this.#endOfLast();
  }

  #endOfLast(): number {
    const stats = this.#segments.at(-1)?.objects.get(this.#objectId);
    return stats === undefined ? 0 : stats.lastRow + 1;
  }
}
