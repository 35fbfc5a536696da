// The rows of several write requests on their way into one transaction: ids minted, places given, not yet stored.
import { badRequest } from '../../errors.js';
import { applyEvents } from '../../event/apply.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { RowChunk, RowValue } from '../../duckdb/rows.js';
import type { UnplacedRow } from '../../schema/event-row.js';
import { nextXactId } from '../../schema/xact-id.js';
import { BufferIndex, type GenerationIndexes } from './buffer-index.js';
import {
  bufferName,
  eventChunks,
  storedValues,
  supersessionChunks,
  type RowPlace,
  type Supersession,
} from '../event-table.js';
import { checkSizes } from './event-size.js';
import type { EventBatch, ResolvedRequest } from './insert-request.js';
import type { RecentRows } from './recent-rows.js';
import type { ChangeConnection, Generation, StoreChange, StoreState } from '../store-state.js';

/** Groups of more rows come from clients that load: what is merged into soon comes a few rows at a time. */
const rememberedRowsMax = 1024;

/** Thrown when a row that the request builds on was replaced or moved since it was looked up. */
export class StaleRequest extends Error {}

export class CommitGroup implements StoreChange {
  readonly #committed: GenerationIndexes;
  readonly #recent: RecentRows;
  readonly #eventBytesMax: number;
  readonly #firstRow: number;
  readonly #places = new BufferIndex();
  readonly #rows: UnplacedRow[] = [];
  readonly #values: (readonly RowValue[])[] = [];
  readonly #supersessions: Supersession[] = [];
  readonly #superseded: Map<number, number>;
  #state: StoreState;
  #lastRowXactId: bigint | null = null;
  #bytes = 0;
  #rowChunks: readonly RowChunk[] | undefined;
  #supersessionChunks: readonly RowChunk[] | undefined;

  /**
   * With `recent`, merges that race for one id need not look it up again. An event of more than `eventBytesMax` bytes
   * is refused.
   */
  constructor(
    state: StoreState,
    committed: GenerationIndexes,
    recent: RecentRows,
    eventBytesMax: number,
  ) {
    this.#superseded = new Map(state.superseded);
    this.#state = { ...state, change: state.change + 1, superseded: this.#superseded };
    this.#firstRow = state.active.rowCount;
    this.#committed = committed;
    this.#recent = recent;
    this.#eventBytesMax = eventBytesMax;
  }

  /** What is committed once this group is. */
  get state(): StoreState {
    return this.#state;
  }

  get source(): number {
    return this.#state.active.source;
  }

  /** The last transaction that has rows: null when none has. */
  get lastRowXactId(): bigint | null {
    return this.#lastRowXactId;
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  /** Roughly what its rows weigh. */
  get bytes(): number {
    return this.#bytes;
  }

  get places(): BufferIndex {
    return this.#places;
  }

  /**
   * Applies the request's events on top of what is committed and of the requests added before.
   * @returns its transaction id
   * @throws StaleRequest when it has to be resolved again, RequestError when its events are refused;
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
    if (rows.length > 0) this.#lastRowXactId = xactId;
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

  /** To be called once it is committed. */
  remember(): void {
    if (this.#rows.length > rememberedRowsMax) return;
    for (const [index, row] of this.#rows.entries()) {
      const bytes = weight(this.#values[index] ?? []);
      this.#recent.remember({ source: this.source, row: this.#firstRow + index }, row, bytes);
    }
  }

  async copyTo(connection: ChangeConnection): Promise<void> {
    // Made once and appended to both instances.
    this.#rowChunks ??= eventChunks(this.#values);
    this.#supersessionChunks ??= supersessionChunks(this.#supersessions);
    await connection.append(bufferName(this.source), this.#rowChunks);
    if (this.#supersessions.length > 0)
      await connection.append('supersession', this.#supersessionChunks);
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
      const row = this.#staged(place) ?? request.rowAt(place) ?? this.#recent.at(place);
      if (row === undefined) throw new StaleRequest();
      live.set(id, row);
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
    const values = storedValues(row, place.row, xactId, position);
    this.#places.set(row.object_id, row.id, place);
    this.#rows.push(row);
    this.#values.push(values);
    count(active, row, values);
  }

  #supersede({ source, row }: RowPlace, byXactId: bigint): void {
    this.#supersessions.push({ source, row, byXactId });
    this.#superseded.set(source, (this.#superseded.get(source) ?? 0) + 1);
  }
}

type Counts = { -readonly [K in keyof Generation]: Generation[K] };

function count(generation: Counts, row: UnplacedRow, values: readonly RowValue[]): void {
  generation.rowCount += 1;
  generation.tombstones += Number(row._deleted);
  generation.lossless += Number(row._lossless);
  const bytes = weight(values);
  generation.bytes += bytes;
  generation.largestBytes = Math.max(generation.largestBytes, bytes);
}

const weight = (values: readonly RowValue[]): number =>
  values.reduce<number>(
    (bytes, value) => bytes + (typeof value === 'string' ? value.length : 8),
    0,
  );
