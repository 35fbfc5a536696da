// An unchanging view of the events at one transaction id: relations for queries, and the ways to run them.
import type { RowValue } from '../../duckdb/rows.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { NotSmall, type Lane } from './lane.js';
import type { ReadState } from './reader-feed.js';
import { ReadSession, type ReadTimes } from './read-session.js';
import type { ObjectChanges } from '../commit/object-changes.js';
import { portionsOf } from './page-portions.js';
import { spansOf } from './page-spans.js';
import { createResult, type QueryResult } from './query-result.js';
import { collectText, type TextOptions, type TextResult } from './text-result.js';
import { writeText, type CountedQueries } from './text-parts.js';
import { conditionOf, type SegmentLookup, type WantedRows } from '../segment/segment-lookup.js';
import { isLight, rowSpans, rowWeight } from './row-weights.js';
import {
  cutsOf,
  evenCuts,
  sliceRows,
  slicesBetween,
  slicesOf,
  type Slice,
  type SliceOptions,
  type SliceSettings,
  type Uncut,
  type XactRange,
} from './slices.js';
import { SnapshotSources } from './snapshot-sources.js';
import type { Segment } from '../segment/segment.js';
import type { StoreState } from '../manifest/store-state.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { SegmentFiles } from '../segment/segment-files.js';

export type LaneName = 'query' | 'lookup';

export interface ReadOptions {
  /**
   * `query`: within the budgets for queries. `lookup`: small reads, which have an engine of their own; one that turns out to
   * need more memory runs again as a query.
   */
  readonly lane: LaneName;
  readonly signal?: AbortSignal | undefined;
}

/** Weighing the rows of a portion that is no more than so many times too large is not worth while. */
const largePortions = 4;

const everything: XactRange = { from: null, to: null };

type Rows = readonly (readonly RowValue[])[];

/** With a pin of the reader that the snapshot takes over. */
export interface SnapshotParts extends ReadState {
  readonly lanes: Readonly<Record<LaneName, Lane>>;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly lookup: SegmentLookup;
  readonly slices: SliceSettings;
  readonly changes: ObjectChanges;
  /** Whose reads they are: clients have their turns one after the other. */
  readonly client: string;
  /** Lets go of the tables and files. */
  readonly unpin: () => void;
}

export class Snapshot {
  readonly #parts: SnapshotParts;
  readonly #state: StoreState;
  readonly #sources: SnapshotSources;
  /** The last transaction id that is visible. */
  readonly version: bigint;
  readonly times: ReadTimes = { waited: 0, read: 0 };
  #uses = 1;
  #released = false;

  constructor(parts: SnapshotParts, version?: bigint) {
    const { state, tails, files } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#sources = new SnapshotSources(state, tails, files);
    this.version = version !== undefined && version < state.lastXactId ? version : state.lastXactId;
  }

  /**
   * The live rows of the objects, as of `at` when it is older than the snapshot. With a range, at least
   * those in it: what lies wholly outside of it is not read.
   */
  live(
    objectIds: readonly string[],
    at: bigint = this.version,
    range: XactRange = everything,
  ): EventRelation {
    const version = this.#seen(at);
    const identity = range === everything ? this.#parts.changes.identity(objectIds, version) : null;
    return { arms: this.#sources.live(objectIds, version, { range }), identity };
  }

  /** Whether reading all rows of the objects is no more work than reading a large page. */
  isSmall(objectIds: readonly string[]): boolean {
    const segments = this.#sources.segments(objectIds, this.version);
    return isLight(rowWeight(this.#state, segments, objectIds));
  }

  /** Equal for snapshots, of one process, with the same rows of the objects. */
  identity(objectIds: readonly string[]): string {
    return this.#parts.changes.identity(objectIds, this.version);
  }

  /** At least the rows in the range: every version of them, deletions included. */
  versions(objectIds: readonly string[], range: XactRange): EventRelation {
    return { arms: this.#sources.live(objectIds, this.version, { range, isHistory: true }) };
  }

  /** The live rows of the objects, or all versions, that have one of the ids, or are in one of the traces. */
  async find(
    objectIds: readonly string[],
    wanted: WantedRows,
    at: bigint = this.version,
    isHistory = false,
  ): Promise<EventRelation> {
    const version = this.#seen(at);
    const segments = this.#sources.segments(objectIds, version);
    const rows = await this.#parts.lookup.rows(segments, objectIds, wanted);
    const condition = conditionOf(wanted);
    return { arms: this.#sources.live(objectIds, version, { rows, condition, isHistory }) };
  }

  /**
   * Ranges that together hold the rows of the objects from `before` (included) on, newest first, so that
   * a page can stop after the first ones. Each but the last has about `rowsMin` rows or more.
   */
  spans(
    objectIds: readonly string[],
    at: bigint,
    before: bigint,
    rowsMin: number,
  ): AsyncGenerator<XactRange, void, void> {
    const range = { from: null, to: before };
    const pieces = this.#sources.pieces(objectIds, this.#seen(at), range, this.#groupsOf);
    return spansOf(pieces, before, rowsMin);
  }

  /**
   * Ranges that together are `range`, newest first. The rows of each take up about `portionBytes`, or less than four times
   * as much, when read at once, unless `isLarge`. No more than `rowsMax` rows of the objects are wanted.
   */
  async *portions(
    objectIds: readonly string[],
    at: bigint,
    range: XactRange,
    rowsMax: number,
  ): AsyncGenerator<{ readonly range: XactRange; readonly isLarge: boolean }, void, void> {
    const pieces = this.#sources.pieces(objectIds, this.#seen(at), range, this.#groupsOf, rowsMax);
    for await (const portion of portionsOf(pieces, range, this.portionBytes))
      yield { range: portion.range, isLarge: portion.bytes > largePortions * this.portionBytes };
  }

  get portionBytes(): number {
    return this.#parts.slices.bytes;
  }

  /** How many row versions of the objects are buffered. */
  async bufferedRows(objectIds: readonly string[], options: ReadOptions): Promise<number> {
    const query = this.#sources.buffered(objectIds, this.version);
    if (query === null) return 0;
    let count = 0;
    for await (const [row] of this.stream(query, options)) count += Number(row?.[0] ?? 0);
    return count;
  }

  /** What the rows of the objects are cut into, newest first; null when there are few rows. */
  async slices(
    { objectIds, keepsTransactions }: SliceOptions,
    options: ReadOptions,
  ): Promise<readonly Slice[] | null> {
    const wanted = this.#sliceRows(objectIds);
    if (wanted === null) return null;
    const sources = this.#sources.uncut(objectIds, this.version);
    const uncut = keepsTransactions
      ? sources.map((each) => ({ ...each, together: null }))
      : sources;
    const cuts = await this.#cuts(uncut, wanted, options);
    return uncut.flatMap((each) => slicesOf(each, cuts.get(each.source) ?? [], wanted));
  }

  /** The live rows of the objects in one of their slices. */
  liveIn(objectIds: readonly string[], slice: Slice): EventRelation {
    return { arms: this.#sources.live(objectIds, this.version, slice), identity: null };
  }

  /** By source: transaction ids at about every `wanted`th row, where rows do not lie together. */
  async #cuts(
    sources: readonly Uncut[],
    wanted: number,
    options: ReadOptions,
  ): Promise<ReadonlyMap<number, readonly bigint[]>> {
    const cuts = new Map<number, bigint[]>();
    const apart = sources.filter(({ together }) => together === null);
    if (apart.length === 0) return cuts;
    for (const { source } of apart) cuts.set(source, []);
    for await (const chunk of this.stream(cutsOf(apart, wanted), options))
      for (const [source, xactId] of chunk) cuts.get(Number(source))?.push(xactId as bigint);
    return cuts;
  }

  /** Ranges that together hold all rows of the objects, newest first; one when there are few rows. Reads nothing. */
  evenSlices(objectIds: readonly string[]): readonly XactRange[] {
    const rows = this.#sliceRows(objectIds);
    if (rows === null) return [everything];
    const segments = this.#sources.segments(objectIds, this.version);
    const spans = rowSpans(this.#state, segments, objectIds);
    return slicesBetween(spans.flatMap((span) => evenCuts(span, rows)));
  }

  /** A parenthesised SELECT of (object_id, id): the ids whose latest version is a tombstone. */
  tombstoned(objectIds: readonly string[]): Sql {
    return sql`(${this.#sources.tombstoned(objectIds, this.version)})`;
  }

  /** A parenthesised SELECT of (object_id, id, _xact_id): every deletion, also of ids that came back. */
  deletions(objectIds: readonly string[]): Sql {
    return sql`(${this.#sources.deletions(objectIds, this.version)})`;
  }

  /**
   * Runs `query` and yields its rows in chunks while the engine produces them. Its columns need
   * different names. A turn of the lane is held until the last chunk is taken.
   * @throws RequestError 400 over a budget, 429 when too many wait; the signal's reason when aborted
   */
  async *stream(query: Sql, options: ReadOptions): AsyncGenerator<Rows, void, void> {
    try {
      yield* this.#streamed(query, options);
    } catch (error) {
      // None of its rows was given: small results are complete before that.
      if (!(error instanceof NotSmall)) throw error;
      yield* this.#streamed(query, { ...options, lane: 'query' });
    }
  }

  async *#streamed(query: Sql, options: ReadOptions): AsyncGenerator<Rows, void, void> {
    const session = await this.#session(options);
    try {
      yield* session.stream(query);
    } finally {
      await session.close();
    }
  }

  /** As `stream`, one query's rows after the other's, in one turn of queries: what is taken no more is not run. */
  async *streamEach(
    queries: AsyncIterable<Sql>,
    options: Omit<ReadOptions, 'lane'>,
  ): AsyncGenerator<Rows, void, void> {
    const session = await this.#session({ ...options, lane: 'query' });
    try {
      for await (const query of queries) yield* session.stream(query);
    } finally {
      await session.close();
    }
  }

  /**
   * Runs the queries to their end, where their rows can be read again, one query's after the other's.
   * The caller closes the result, which holds a turn of the lane until then.
   * @throws as `stream`
   */
  async materialize(queries: readonly Sql[], options: ReadOptions): Promise<QueryResult> {
    const session = await this.#session(options);
    try {
      return await createResult(session, queries, this.#temporaryFile);
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /**
   * Runs the queries to their end and keeps the text of their rows, one query's after the other's. Their
   * columns have different names: those of the text and, where there are places, the place of the row.
   * @throws as `stream`
   */
  async collectText(
    queries: readonly Sql[],
    { lane, signal, ...target }: ReadOptions & TextOptions,
  ): Promise<TextResult> {
    const session = await this.#session({ lane, signal });
    try {
      return await collectText(session, queries, target, this.#temporaryFile);
    } catch (error) {
      if (!(error instanceof NotSmall)) throw error;
    } finally {
      await session.close();
    }
    return this.collectText(queries, { lane: 'query', signal, ...target });
  }

  /** As `collectText`, for all rows of results that are known to be large. */
  async writeText(
    queries: CountedQueries,
    { separator, ...options }: ReadOptions & { readonly separator: string },
  ): Promise<TextResult> {
    const session = await this.#session(options);
    try {
      return await writeText(session, queries, separator, this.#temporaryFile);
    } finally {
      await session.close();
    }
  }

  /** Ends the snapshot; what still streams from it goes on to its end. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.#leave();
  }

  readonly #groupsOf = (segment: Segment) => this.#parts.lookup.groups.of(segment);

  readonly #temporaryFile = (name: string): string => this.#parts.reader.temporaryFile(name);

  #seen(at: bigint): bigint {
    return at < this.version ? at : this.version;
  }

  #sliceRows(objectIds: readonly string[]): number | null {
    const segments = this.#sources.segments(objectIds, this.version);
    return sliceRows(rowWeight(this.#state, segments, objectIds), this.#parts.slices);
  }

  async #leave(): Promise<void> {
    this.#uses -= 1;
    if (this.#uses > 0) return;
    this.#parts.unpin();
    await this.#parts.reader.unpin();
  }

  async #session({ lane, signal }: ReadOptions): Promise<ReadSession> {
    if (this.#released) throw new Error('the snapshot was released');
    this.#uses += 1;
    try {
      const { reader, checked, lanes, client } = this.#parts;
      const asked = { client, signal, times: this.times, left: () => this.#leave() };
      return await ReadSession.open(reader, checked, lanes[lane], asked);
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }
}
