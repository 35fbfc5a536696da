// A group of write requests that commit together: it applies their events, assigns transaction ids and row numbers, and builds one
// frame. Nothing is stored yet.
import type { InsertedTotals } from './inserted-totals.js';
import { badRequest } from '../../errors.js';
import { applyInSteps, BasesBudget } from '../../event/apply.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import { buildRow, type NewRow } from '../../event/row.js';
import { traceOfRow, type StoredSpans } from '../../event/span-ids.js';
import type { EventObject } from '../../schema/event-row.js';
import { nextXactId } from '../../schema/xact-id.js';
import { RowIndex, type GenerationIndexes } from '../row/row-index.js';
import type { RowLocation, Supersession } from '../row/event-table.js';
import type { LoggedGroup } from '../log/event-log.js';
import { FrameBuilder } from '../log/frame.js';
import type { RowPosition } from '../log/record.js';
import type { DiskReserve } from './disk-reserve.js';
import { basesBytesMax, checkRequestSize, checkSizes } from './event-size.js';
import type { EventBatch, ResolvedRequest } from './insert-request.js';
import type { Generation, StoreChange, StoreState } from '../manifest/store-state.js';
import type { Supersessions } from '../row/supersessions.js';

/** Thrown when a row that the request needs was moved after it was looked up. */
export class StaleRequest extends Error {}

/** In bytes. */
export interface SizeLimits {
  /** The largest size of one stored event. */
  readonly eventBytesMax: number;
  /** The largest size of the rows of a request in the log. */
  readonly requestBytesMax: number;
}

/** Reads a row of a generation that is committed. */
type ReadRow = (source: number, row: number) => NewRow;

export class CommitGroup implements StoreChange, LoggedGroup {
  readonly #committed: GenerationIndexes;
  readonly #readRow: ReadRow;
  readonly #limits: SizeLimits;
  readonly #reserve: Pick<DiskReserve, 'check' | 'room'>;
  readonly #firstRow: number;
  readonly #locations = new RowIndex();
  readonly #rows: NewRow[] = [];
  readonly #frame = new FrameBuilder();
  readonly rowBytes: number[] = [];
  readonly #supersessions: Supersession[] = [];
  readonly #superseded: Map<number, number>;
  readonly #before: StoreState;
  readonly #active: Counts;
  #lastXactId: bigint;

  /** Larger events and requests are refused, and those for which the disk has no room. */
  constructor(
    state: StoreState,
    committed: GenerationIndexes,
    readRow: ReadRow,
    limits: SizeLimits,
    reserve: Pick<DiskReserve, 'check' | 'room'>,
  ) {
    this.#superseded = new Map(state.superseded);
    this.#before = state;
    this.#active = { ...state.active };
    this.#lastXactId = state.lastXactId;
    this.#firstRow = state.active.rowCount;
    this.#committed = committed;
    this.#readRow = readRow;
    this.#limits = limits;
    this.#reserve = reserve;
  }

  /** The committed state after this group. */
  get state(): StoreState {
    return {
      ...this.#before,
      change: this.#before.change + 1,
      superseded: this.#superseded,
      active: this.#active,
      lastXactId: this.#lastXactId,
    };
  }

  get source(): number {
    return this.#active.source;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** The size of its rows in the log. */
  get bytes(): number {
    return this.#active.bytes - this.#before.active.bytes;
  }

  get objectIds(): Iterable<string> {
    return this.#locations.objectIds;
  }

  /** The last transaction of the group if a row of the object is in it. */
  lastWriteOf(objectId: string): bigint | undefined {
    return this.#locations.ofObject(objectId) && this.#lastXactId;
  }

  /** Adds its rows to the totals of their projects, once they are committed. */
  countIn(totals: InsertedTotals): void {
    this.#rows.forEach(({ project_id }, index) => totals.add(project_id, this.rowBytes[index]!));
  }

  /** Adds its rows to the index of their generation, once they are committed. */
  addTo(index: RowIndex): void {
    const { source } = this;
    let number = this.#firstRow;
    for (const row of this.#rows) {
      const location = { source, row: number, deleted: row._deleted };
      index.set(row.object_id, row.id, location);
      if (!row._deleted) index.addToTrace(row.object_id, row.root_span_id, row.id);
      number += 1;
    }
  }

  /**
   * Applies the events of the request to the committed rows and to those of the requests before it, one event in each step.
   * @returns its transaction id
   * @throws StaleRequest if the request has to be looked up again, RequestError if its events are refused; the group is then unchanged
   */
  *addInSteps(request: ResolvedRequest, nowMs: number): Generator<void, bigint> {
    if (request.publication !== null && request.publication !== this.#before.publication)
      throw new StaleRequest();
    for (const batch of request.batches) this.#checkRequired(request, batch);
    const rows = yield* this.#rowsOf(request, nowMs);
    const xactId = nextXactId(this.#lastXactId, nowMs / 1000);
    for (const [position, row] of rows.entries()) {
      this.#append(request, row, { xactId, position });
      yield;
    }
    this.#lastXactId = xactId;
    return xactId;
  }

  /** @throws RefusedEvents of all batches together, RequestError 413 or 503 if there is no room for the rows */
  *#rowsOf(request: ResolvedRequest, nowMs: number): Generator<void, readonly NewRow[]> {
    const refused: RefusedEvent[] = [];
    const made: (readonly NewRow[])[] = [];
    const now = BigInt(nowMs) * 1000n;
    const { eventBytesMax } = this.#limits;
    const budget = new BasesBudget(basesBytesMax(eventBytesMax));
    let bytesAtMost = 0;
    for (const { object, events, needed } of request.batches) {
      const storedRow = (id: string) =>
        needed.has(id)
          ? this.#rowOf(request, object.id, id)
          : this.#isLive(request, object.id, id)
            ? unreadPlaceholder(object, id, now)
            : undefined;
      try {
        const storedSpans = this.#spansOf(request, object.id);
        const target = { object, storedRow, storedSpans, budget, now };
        const rows = yield* applyInSteps(target, events);
        bytesAtMost += checkSizes(events, rows, eventBytesMax);
        made.push(rows);
      } catch (error) {
        if (!(error instanceof RefusedEvents)) throw error;
        refused.push(...error.refused);
      }
    }
    if (refused.length > 0) throw new RefusedEvents(refused);
    const [only = [], ...others] = made;
    const rows = others.length === 0 ? only : made.flat();
    yield* this.#checkRoom(rows, bytesAtMost);
    return rows;
  }

  /** @throws RequestError 413 if the rows are too large for one request, 503 if the disk has no room for them */
  *#checkRoom(rows: readonly NewRow[], bytesAtMost: number): Generator<void, void> {
    const { requestBytesMax } = this.#limits;
    const areDeletions = rows.every(({ _deleted }) => _deleted);
    const room = this.#reserve.room(areDeletions) - this.bytes;
    if (bytesAtMost <= Math.min(requestBytesMax, room)) return;
    const bytes = yield* checkRequestSize(rows, requestBytesMax);
    this.#reserve.check(this.bytes + bytes, areDeletions);
  }

  /** The bytes for the log, in pieces; nothing can be added any more. */
  frame(): readonly Buffer[] {
    return this.#frame.finish(this.source, this.#firstRow, this.#lastXactId, this.#supersessions);
  }

  supersede(known: Supersessions): void {
    known.add(this.#supersessions, false);
  }

  #locate(request: ResolvedRequest, objectId: string, id: string): RowLocation | undefined {
    return (
      this.#locations.find(objectId, id) ??
      this.#committed.find(objectId, id) ??
      request.flushed.find(objectId, id)
    );
  }

  #isLive(request: ResolvedRequest, objectId: string, id: string): boolean {
    return this.#locate(request, objectId, id)?.deleted === false;
  }

  #spansOf(request: ResolvedRequest, objectId: string): StoredSpans {
    const isLive = (id: string) => this.#isLive(request, objectId, id);
    const traceOf = (id: string) => this.#traceOf(request, objectId, id);
    return { isLive, traceOf };
  }

  *#traceOf(
    request: ResolvedRequest,
    objectId: string,
    id: string,
  ): Generator<void, string | null> {
    const location = this.#locate(request, objectId, id);
    if (location === undefined || location.deleted) return null;
    return request.traceAt(location) ?? (yield* traceOfRow(this.#bufferedRow(location)));
  }

  #bufferedRow(location: RowLocation): NewRow {
    return this.#staged(location) ?? this.#readRow(location.source, location.row);
  }

  #checkRequired(request: ResolvedRequest, { object, required }: EventBatch): void {
    for (const { id, path } of required)
      if (!this.#isLive(request, object.id, id))
        throw badRequest(`${path}: no row has the id ${JSON.stringify(id)}`);
  }

  #rowOf(request: ResolvedRequest, objectId: string, id: string): NewRow | undefined {
    const location = this.#locate(request, objectId, id);
    if (location === undefined || location.deleted) return undefined;
    return request.rowAt(location) ?? this.#bufferedRow(location);
  }

  #staged({ source, row }: RowLocation): NewRow | undefined {
    return source === this.source ? this.#rows[row - this.#firstRow] : undefined;
  }

  #append(request: ResolvedRequest, row: NewRow, { xactId, position }: RowPosition): void {
    const active = this.#active;
    const previous = this.#locate(request, row.object_id, row.id);
    if (previous !== undefined) this.#supersede(previous, xactId);
    const location = { source: active.source, row: active.rowCount, deleted: row._deleted };
    const bytes = this.#frame.addRow(row, { xactId, position });
    this.#locations.set(row.object_id, row.id, location);
    this.#rows.push(row);
    this.rowBytes.push(bytes);
    count(active, row, bytes);
  }

  #supersede({ source, row }: RowLocation, byXactId: bigint): void {
    this.#supersessions.push({ source, row, byXactId });
    this.#superseded.set(source, (this.#superseded.get(source) ?? 0) + 1);
  }
}

/**
 * A placeholder for a live row that we did not read: an earlier event of the request has its id and was refused. The request will be
 * refused, so its content is never stored.
 */
const unreadPlaceholder = (object: EventObject, id: string, created: bigint): NewRow =>
  buildRow(object, {
    id,
    deleted: false,
    lossless: false,
    created,
    span: { spanId: id, rootSpanId: id, spanParents: null },
    scalars: {},
    json: {},
  });

type Counts = { -readonly [K in keyof Generation]: Generation[K] };

function count(generation: Counts, row: NewRow, bytes: number): void {
  generation.rowCount += 1;
  generation.tombstones += Number(row._deleted);
  generation.lossless += Number(row._lossless);
  generation.bytes += bytes;
}
