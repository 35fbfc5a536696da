// A snapshot: a consistent, immutable view of the events at one version. It builds relations and runs queries. The sources that it
// reads stay until it is released and its last session is closed.
import type { Row, RowValue } from '../../../duckdb/rows.js';
import { sql, type Sql } from '../../../duckdb/sql.js';
import { writeDurably } from '../../../durable-file.js';
import type { EventRelation } from '../../../schema/event-relation.js';
import { TooBigForSmallReads, type ReadQueue, type ReadOptions } from '../engine/read-queue.js';
import type { ReadSize } from '../engine/reader.js';
import type { ReadState } from './reader-feed.js';
import { ReadSession, type ReadTimes, type SqlPart } from '../engine/read-session.js';
import type { LastWrites } from '../../commit/last-writes.js';
import { createResult, type QueryResult } from '../answer/query-result.js';
import { collectText, type TextOptions, type TextResult } from '../answer/text-result.js';
import { GivenRows } from '../answer/given-rows.js';
import { writeText, type CountedQueries } from '../answer/text-parts.js';
import { conditionOf, type WantedRows } from '../../segment/wanted-rows.js';
import { rowWeight, type RowWeight } from '../chunks/row-weights.js';
import {
  chunksIn,
  everything,
  rowChunks,
  type ChunkOrder,
  type RowChunk,
} from '../chunks/chunks.js';
import type { XactRange } from '../chunks/source-chunks.js';
import { SnapshotSources, type ChunkDeps } from './snapshot-sources.js';
import type { StoreState } from '../../manifest/store-state.js';
import type { CheckedFiles } from '../../segment/checked-files.js';
import type { SegmentFiles } from '../../segment/segment-files.js';

type Rows = readonly (readonly RowValue[])[];

/** The reader is pinned; the snapshot owns that pin. */
export interface SnapshotDeps extends ReadState, ChunkDeps {
  readonly queues: Readonly<Record<ReadSize, ReadQueue>>;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly lastWrites: LastWrites;
  /** The client whose turns the reads take. */
  readonly client: string;
  /** Releases the files of the state. */
  readonly unpin: () => void;
}

export class Snapshot {
  readonly #parts: SnapshotDeps;
  readonly #state: StoreState;
  readonly #sources: SnapshotSources;
  /** The last visible transaction id. */
  readonly version: bigint;
  readonly times: ReadTimes = { waited: 0, read: 0, isWaiting: false };
  #uses = 1;
  #released = false;

  constructor(parts: SnapshotDeps, version?: bigint) {
    const { state, tails, files } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#sources = new SnapshotSources(state, tails, files);
    this.version = version !== undefined && version < state.lastXactId ? version : state.lastXactId;
  }

  /**
   * The live rows of the objects at `at`, or at the snapshot's version if that is earlier. With a range, omits sources that
   * have no rows in it; rows outside of it can remain.
   */
  live(
    objectIds: readonly string[],
    at: bigint = this.version,
    range: XactRange = everything,
  ): EventRelation {
    const version = this.#upTo(at);
    const identity =
      range === everything
        ? this.#parts.lastWrites.identity(objectIds, version, this.#state)
        : null;
    return { branches: this.#sources.live(objectIds, version, { range }), identity };
  }

  /** An upper estimate for the rows of the objects: at least their number. */
  weight(objectIds: readonly string[]): RowWeight {
    const segments = this.#sources.segments(objectIds, this.version);
    return rowWeight(this.#state, segments, objectIds);
  }

  /** A text that is equal for snapshots of this process only if they have the same rows of the objects. */
  identity(objectIds: readonly string[]): string {
    return this.#parts.lastWrites.identity(objectIds, this.version, this.#state);
  }

  /** All row versions in the range, tombstones included. Rows outside of the range can be among them. */
  versions(objectIds: readonly string[], range: XactRange): EventRelation {
    return { branches: this.#sources.live(objectIds, this.version, { range, isHistory: true }) };
  }

  /** The live rows, or with `isHistory` all row versions, of the objects that have one of the wanted ids or traces. */
  async find(
    objectIds: readonly string[],
    wanted: WantedRows,
    isHistory = false,
  ): Promise<EventRelation> {
    const segments = this.#sources.segments(objectIds, this.version);
    const rows = await this.#parts.lookup.rows(segments, objectIds, wanted);
    const restriction = { condition: conditionOf(wanted), isHistory, ...(rows && { rows }) };
    return { branches: this.#sources.live(objectIds, this.version, restriction) };
  }

  /** Yields chunks of the rows of the objects, by default newest first. Reads what the consumer gets to. */
  chunks(objectIds: readonly string[], order: ChunkOrder, at: bigint = this.version) {
    const sources = this.#sources.chunked(objectIds, this.#upTo(at), order.range, this.#parts);
    return chunksIn(sources, order);
  }

  /** The size of the JSON text that a chunk should have at most. */
  get chunkBytes(): number {
    return this.#parts.chunks.bytes;
  }

  /** The number of buffered row versions of the objects. */
  async bufferedRows(objectIds: readonly string[], options: ReadOptions): Promise<number> {
    const query = this.#sources.buffered(objectIds, this.version);
    if (query === null) return 0;
    let count = 0;
    for await (const [row] of this.stream(query, options)) count += Number(row?.[0] ?? 0);
    return count;
  }

  /** Whether the rows of the objects are at least two chunks. */
  isLong(objectIds: readonly string[]): boolean {
    const { rows, bytes } = this.weight(objectIds);
    const { chunks } = this.#parts;
    return rows >= 2 * chunks.rows || bytes >= 2 * chunks.bytes;
  }

  /** Divides the rows of the objects, newest first; see `rowChunks`. */
  rowChunks(
    objectIds: readonly string[],
    keepsTransactions: boolean,
  ): Promise<readonly RowChunk[]> {
    const sources = this.#sources.chunked(objectIds, this.version, everything, this.#parts);
    return rowChunks(sources, keepsTransactions, this.#parts.chunks);
  }

  /** The live rows of the objects in a chunk. */
  liveIn(objectIds: readonly string[], chunk: RowChunk): EventRelation {
    return { branches: this.#sources.live(objectIds, this.version, chunk), identity: null };
  }

  /** A parenthesised SELECT of (object_id, id): the ids whose latest version is a tombstone. */
  tombstoned(objectIds: readonly string[]): Sql {
    return sql`(${this.#sources.tombstoned(objectIds, this.version)})`;
  }

  /** A parenthesised SELECT of (object_id, id, root_span_id, _xact_id): all tombstones, also of ids that were inserted again. */
  deletions(objectIds: readonly string[]): Sql {
    return sql`(${this.#sources.deletions(objectIds, this.version)})`;
  }

  /**
   * Runs `query` and yields its rows in chunks while the engine produces them. The names of its columns must be distinct. Holds
   * a turn of the queue until the last chunk is consumed.
   * @throws RequestError 400 for an exceeded budget, 429 if too many reads wait, 503 for damage or a full disk; the abort reason
   */
  async *stream(query: Sql, options: ReadOptions): AsyncGenerator<Rows, void, void> {
    try {
      yield* this.#streamed(query, options);
    } catch (error) {
      // No rows were yielded: a read that has begun is never `TooBigForSmallReads`.
      if (!(error instanceof TooBigForSmallReads)) throw error;
      yield* this.#streamed(query, { ...options, queue: 'heavy' });
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

  /** As `stream`, for several queries in one turn of the queue `heavy`. Runs a query when the consumer gets to it. */
  async *streamEach(
    queries: AsyncIterable<Sql>,
    options: Omit<ReadOptions, 'queue'>,
  ): AsyncGenerator<Rows, void, void> {
    const session = await this.#session({ ...options, queue: 'heavy' });
    try {
      for await (const query of queries) yield* session.stream(query);
    } finally {
      await session.close();
    }
  }

  /**
   * Runs the queries and keeps their concatenated rows, which can be read repeatedly. The result holds a turn of the queue until
   * the caller closes it.
   * @throws as `stream`
   */
  async materialize(queries: readonly SqlPart[], options: ReadOptions): Promise<QueryResult> {
    const session = await this.#session(options);
    try {
      return await createResult(session, queries, this.#temporaryFile);
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /**
   * Runs the query and collects the JSON text of its rows. The names of its columns must be distinct: the columns of the text and,
   * for a query with pages, the position of the row.
   * @throws as `stream`
   */
  collectText(
    query: Sql,
    { queue, signal, ...target }: ReadOptions & TextOptions,
  ): Promise<TextResult> {
    return this.#within({ queue, signal }, (session) =>
      collectText(session, query, target, this.#temporaryFile),
    );
  }

  /** The rows of a statement for the engine's plan. */
  plan(statement: Sql, options: ReadOptions): Promise<readonly Row[]> {
    return this.#within(options, (session) => session.read(statement));
  }

  /** As `collectText`, for all rows of large results: the engine writes the text to files. */
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

  /**
   * Writes the rows of the query to a Parquet file in `jobsDirectory`, durable when it resolves.
   * @throws as `stream`
   */
  writeParquet(query: Sql, file: string, options: ReadOptions): Promise<void> {
    return this.#within(options, (session) =>
      writeDurably(file, (temporary) =>
        session.run(sql`COPY (${query}) TO ${temporary} (FORMAT parquet)`),
      ),
    );
  }

  /** For rows that queries of this snapshot read. The caller removes them before it releases the snapshot. */
  givenRows(): GivenRows {
    return new GivenRows(this.#temporaryFile);
  }

  /** The bytes of segment files with rows of the objects that are only in the bucket. */
  evictedBytes(objectIds: readonly string[]): number {
    const { files, checked } = this.#parts;
    return this.#sources
      .segments(objectIds, this.version)
      .flatMap((segment) =>
        files
          .of(segment)
          .map(({ kind, file }) =>
            checked.isEvicted(file) ? (segment.checksums[kind]?.bytes ?? 0) : 0,
          ),
      )
      .reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Releases the snapshot. Open sessions complete. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.#leave();
  }

  readonly #temporaryFile = (name: string): string => this.#parts.reader.temporaryFile(name);

  #upTo(at: bigint): bigint {
    return at < this.version ? at : this.version;
  }

  /** Runs `work`, again in the queue `heavy` if it exceeds the memory of small reads. */
  async #within<T>(options: ReadOptions, work: (session: ReadSession) => Promise<T>): Promise<T> {
    const session = await this.#session(options);
    try {
      return await work(session);
    } catch (error) {
      if (!(error instanceof TooBigForSmallReads)) throw error;
    } finally {
      await session.close();
    }
    return this.#within({ ...options, queue: 'heavy' }, work);
  }

  async #leave(): Promise<void> {
    this.#uses -= 1;
    if (this.#uses > 0) return;
    this.#parts.unpin();
    await this.#parts.reader.unpin();
  }

  async #session({ queue, signal }: ReadOptions): Promise<ReadSession> {
    if (this.#released) throw new Error('the snapshot was released');
    this.#uses += 1;
    try {
      const { reader, checked, queues, client } = this.#parts;
      const session = { client, signal, times: this.times, onClosed: () => this.#leave() };
      return await ReadSession.open(reader, checked, queues[queue], session);
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }
}
