// Point reads: the latest rows with given ids, or of given traces, read from the log and the segments without a query. All rows
// belong to one state of the store: segments are read first, then buffered rows in one turn of the event loop, and the result is
// discarded if a publication intervened.
import { isEngineError } from '../../../duckdb/engine-error.js';
import type { EventRow } from '../../../schema/event-row.js';
import type { Committer } from '../../commit/committer.js';
import type { Reclamation } from '../../file/reclamation.js';
import type { EventLog } from '../../log/event-log.js';
import { textLength } from '../../row/event-table.js';
import type { Segment } from '../../segment/segment.js';
import type { SegmentLookup } from '../../segment/segment-lookup.js';
import type { WantedRows } from '../../segment/wanted-rows.js';
import type { ReadQueue } from '../engine/read-queue.js';
import type { ReadTimes, SessionOptions } from '../engine/read-session.js';

export interface FoundRows {
  /** The last transaction of the store. */
  readonly version: bigint;
  /** The live rows, unordered. */
  readonly rows: readonly EventRow[];
  readonly times: ReadTimes;
  /** See `Snapshot.identity`. */
  readonly identity: (objectIds: readonly string[]) => string;
}

export interface PointReadDeps {
  readonly log: EventLog;
  readonly lookup: SegmentLookup;
  readonly reclamation: Reclamation;
  readonly queue: ReadQueue;
  readonly committer: Pick<Committer, 'lastWrites' | 'state' | 'index'>;
}

export type PointReadOptions = Omit<SessionOptions, 'onClosed'>;

/** Row versions by source and row number. */
type RowsByLocation = Map<string, EventRow>;

type RowsById = ReadonlyMap<string, EventRow>;

/** Limits on row versions and on bytes of JSON text, up to which a read occupies the event loop for a few milliseconds. */
export const rowsMax = 500;
export const bytesMax = 2 ** 20;

/** The limit on decompressed row groups per segment. Larger reads run as queries, which can be interrupted. */
export const groupBytesMax = 64 * 2 ** 20;

export class PointReads {
  readonly #parts: PointReadDeps;

  constructor(parts: PointReadDeps) {
    this.#parts = parts;
  }

  /**
   * Finds the wanted live rows of one object, in a turn of `client`.
   * @returns null if the caller has to run a query: the rows are many or large, or a publication intervened
   * @throws RequestError 503 for a damaged segment, 429 if too many reads wait; the signal's reason if it is aborted
   */
  async find(
    objectId: string,
    wanted: WantedRows,
    client: string,
    signal?: AbortSignal,
  ): Promise<FoundRows | null> {
    if (wanted.values.length > rowsMax) return null;
    const { reclamation, committer } = this.#parts;
    const unpin = reclamation.pin();
    const started = performance.now();
    const times: ReadTimes = { waited: 0, read: 0, isWaiting: false };
    try {
      const { publication } = committer.state;
      const stored = await this.#stored(objectId, wanted, { client, signal, times });
      const { state, lastWrites } = committer;
      if (stored === null || state.publication !== publication) return null;
      const rows = this.#latest(objectId, wanted, stored);
      if (rows === null) return null;
      const version = state.lastXactId;
      times.read = performance.now() - started - times.waited;
      return { version, rows, times, identity: (ids) => lastWrites.identity(ids, version, state) };
    } finally {
      unpin();
    }
  }

  /** The latest versions in segments. Ids that are buffered may be missing; null if the rows are many or large. */
  async #stored(
    objectId: string,
    { by, values }: WantedRows,
    { client, signal, times }: PointReadOptions,
  ): Promise<RowsById | null> {
    const { state, index } = this.#parts.committer;
    const segments = state.segments.filter(({ objects }) => objects.has(objectId));
    const unbuffered =
      by === 'id' ? values.filter((id) => index.find(objectId, id) === undefined) : values;
    if (segments.length === 0 || unbuffered.length === 0) return new Map();
    const started = performance.now();
    const endTurn = await this.#parts.queue.turn(client, signal);
    times.waited = performance.now() - started;
    try {
      return await this.#inSegments(segments, objectId, { by, values: unbuffered });
    } catch (error) {
      // Fall back to a query: it has more memory, and reports a budget that it exceeds.
      if (isEngineError(error, 'memory', 'storage')) return null;
      throw error;
    } finally {
      endTurn();
    }
  }

  async #inSegments(
    segments: readonly Segment[],
    objectId: string,
    wanted: WantedRows,
  ): Promise<RowsById | null> {
    const rows: RowsByLocation = new Map();
    if (!(await this.#read(segments, objectId, wanted, rows))) return null;
    if (wanted.by === 'id' || rows.size === 0) return latestById(objectId, rows);
    // A later version of an event may be in another trace.
    const ids = [...new Set(Array.from(rows.values(), ({ id }) => id))];
    const isComplete = await this.#read(segments, objectId, { by: 'id', values: ids }, rows);
    return isComplete ? latestById(objectId, rows) : null;
  }

  /** Adds the wanted row versions, and perhaps others, to `rows`; false if they are many or large. */
  async #read(
    segments: readonly Segment[],
    objectId: string,
    wanted: WantedRows,
    rows: RowsByLocation,
  ): Promise<boolean> {
    const { lookup } = this.#parts;
    const candidates = await lookup.rows(segments, [objectId], wanted);
    if (candidates === null) return false;
    for (const segment of segments) {
      const keyOf = (row: number) => `${segment.source}-${row}`;
      const known = candidates.get(segment.source) ?? [];
      const missing = new Set(known.filter((row) => !rows.has(keyOf(row))));
      if (missing.size === 0) continue;
      if (rows.size + missing.size > rowsMax) return false;
      const read = await lookup.wholeRows(segment, [...missing], { bytesMax, groupBytesMax });
      if (read === null) return false;
      for (const [number, row] of read) rows.set(keyOf(number), row);
    }
    return true;
  }

  /** The wanted rows of the current state, buffered or `stored`; null if they are many or large. */
  #latest(
    objectId: string,
    { by, values }: WantedRows,
    stored: RowsById,
  ): readonly EventRow[] | null {
    const { log, committer } = this.#parts;
    const { index } = committer;
    const ids = by === 'id' ? values : [...stored.keys(), ...index.idsOfTraces(objectId, values)];
    if (ids.length > 2 * rowsMax) return null;
    const rows: EventRow[] = [];
    let bytes = 0;
    for (const id of new Set(ids)) {
      const location = index.find(objectId, id);
      const known = stored.get(id);
      if (location !== undefined) bytes += log.bytesOf(location.source, location.row);
      else if (known !== undefined) bytes += textLength(known);
      if (bytes > bytesMax) return null;
      const row = location === undefined ? known : log.eventAt(location.source, location.row);
      if (row?._deleted === false && values.includes(row[by])) rows.push(row);
      if (rows.length > rowsMax) return null;
    }
    return rows;
  }
}

function latestById(objectId: string, rows: RowsByLocation): RowsById {
  const latest = new Map<string, EventRow>();
  for (const row of rows.values()) {
    const known = latest.get(row.id);
    if (row.object_id === objectId && (known === undefined || known._xact_id < row._xact_id))
      latest.set(row.id, row);
  }
  return latest;
}
