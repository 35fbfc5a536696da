// The rows of several write requests on their way into one transaction: ids minted, places given, not yet stored.
import { badRequest } from '../../errors.js';
import { applyEvents } from '../../event/apply.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { UnplacedRow } from '../../schema/event-row.js';
import { nextXactId } from '../../schema/xact-id.js';
import { BufferIndex, type GenerationIndexes } from './buffer-index.js';
import type { RowPlace, Supersession } from '../event-table.js';
import type { LoggedGroup } from '../log/event-log.js';
import { FrameBuilder } from '../log/frame.js';
import { checkSizes } from './event-size.js';
import type { EventBatch, ResolvedRequest } from './insert-request.js';
import type { Generation, StoreChange, StoreState } from '../store-state.js';
import type { Supersessions } from '../supersessions.js';

/** Thrown when a row that the request builds on was moved since it was looked up. */
export class StaleRequest extends Error {}

/** Reads a row of a generation that is committed. */
type ReadRow = (source: number, row: number) => UnplacedRow;

export class CommitGroup implements StoreChange, LoggedGroup {
  readonly #committed: GenerationIndexes;
  readonly #readRow: ReadRow;
  readonly #eventBytesMax: number;
  readonly #firstRow: number;
  readonly #places = new BufferIndex();
  readonly #rows: UnplacedRow[] = [];
  readonly #frame = new FrameBuilder();
  readonly rowBytes: number[] = [];
  readonly #supersessions: Supersession[] = [];
  readonly #superseded: Map<number, number>;
  #state: StoreState;
  #bytes = 0;

  /** An event of more than `eventBytesMax` bytes is refused. */
  constructor(
    state: StoreState,
    committed: GenerationIndexes,
    readRow: ReadRow,
    eventBytesMax: number,
  ) {
    this.#superseded = new Map(state.superseded);
    this.#state = { ...state, change: state.change + 1, superseded: this.#superseded };
    this.#firstRow = state.active.rowCount;
    this.#committed = committed;
    this.#readRow = readRow;
    this.#eventBytesMax = eventBytesMax;
  }

  /** What is committed once this group is. */
  get state(): StoreState {
    return this.#state;
  }

  get source(): number {
    return this.#state.active.source;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** What its rows take up in the log. */
  get bytes(): number {
    return this.#bytes;
  }

  get places(): BufferIndex {
    return this.#places;
  }

  /**
   * Applies the request's events on top of what is committed and of the requests added before.
   * @returns its transaction id
   * @throws StaleRequest when it has to be looked up again, RequestError when its events are refused;
   * in both cases the group is unchanged
   */
  add(request: ResolvedRequest, nowMs: number): bigint {
    if (request.publication !== null && request.publication !== this.#state.publication)
      throw new StaleRequest();
    for (const batch of request.batches) this.#checkRequired(request, batch);
    const rows = this.#rowsOf(request, nowMs);
    const xactId = nextXactId(this.#state.lastXactId, nowMs / 1000);
    const active = { ...this.#state.active };
    const { bytes } = active;
    for (const [position, row] of rows.entries())
      this.#append(request, row, { active, xactId, position });
    this.#bytes += active.bytes - bytes;
    this.#state = { ...this.#state, active, lastXactId: xactId };
    return xactId;
  }

  /** @throws RefusedEvents of all batches together */
  #rowsOf(request: ResolvedRequest, nowMs: number): readonly UnplacedRow[] {
    const refused: RefusedEvent[] = [];
    const rows = request.batches.flatMap((batch) => {
      const live = this.#liveRows(request, batch);
      try {
        const made = applyEvents(batch.object, batch.events, live, BigInt(nowMs) * 1000n);
        checkSizes(batch.events, made, this.#eventBytesMax);
        return made;
      } catch (error) {
        if (!(error instanceof RefusedEvents)) throw error;
        refused.push(...error.refused);
        return [];
      }
    });
    if (refused.length > 0) throw new RefusedEvents(refused);
    return rows;
  }

  /** The bytes for the log, in pieces; nothing can be added any more. */
  frame(): readonly Buffer[] {
    return this.#frame.finish(
      this.source,
      this.#firstRow,
      this.state.lastXactId,
      this.#supersessions,
    );
  }

  supersede(known: Supersessions): void {
    known.add(this.#supersessions, false);
  }

  #place(request: ResolvedRequest, objectId: string, id: string): RowPlace | undefined {
    return (
      this.#places.place(objectId, id) ??
      this.#committed.place(objectId, id) ??
      request.flushed.place(objectId, id)
    );
  }

  #checkRequired(request: ResolvedRequest, { object, required }: EventBatch): void {
    for (const { id, place } of required) {
      const found = this.#place(request, object.id, id);
      if (found === undefined || found.deleted)
        throw badRequest(`${place}: no row has the id ${JSON.stringify(id)}`);
    }
  }

  #liveRows(request: ResolvedRequest, { object, needed }: EventBatch): Map<string, UnplacedRow> {
    const live = new Map<string, UnplacedRow>();
    for (const id of needed) {
      const place = this.#place(request, object.id, id);
      if (place === undefined || place.deleted) continue;
      const row = this.#staged(place) ?? request.rowAt(place);
      live.set(id, row ?? this.#readRow(place.source, place.row));
    }
    return live;
  }

  #staged({ source, row }: RowPlace): UnplacedRow | undefined {
    return source === this.source ? this.#rows[row - this.#firstRow] : undefined;
  }

  #append(
    request: ResolvedRequest,
    row: UnplacedRow,
    { active, xactId, position }: { active: Counts; xactId: bigint; position: number },
  ): void {
    const previous = this.#place(request, row.object_id, row.id);
    if (previous !== undefined) this.#supersede(previous, xactId);
    const place = { source: active.source, row: active.rowCount, deleted: row._deleted };
    const bytes = this.#frame.addRow(row, { xactId, position });
    this.#places.set(row.object_id, row.id, place);
    this.#rows.push(row);
    this.rowBytes.push(bytes);
    count(active, row, bytes);
  }

  #supersede({ source, row }: RowPlace, byXactId: bigint): void {
    this.#supersessions.push({ source, row, byXactId });
    this.#superseded.set(source, (this.#superseded.get(source) ?? 0) + 1);
  }
}

type Counts = { -readonly [K in keyof Generation]: Generation[K] };

function count(generation: Counts, row: UnplacedRow, bytes: number): void {
  generation.rowCount += 1;
  generation.tombstones += Number(row._deleted);
  generation.lossless += Number(row._lossless);
  generation.bytes += bytes;
  generation.largestBytes = Math.max(generation.largestBytes, bytes);
}
