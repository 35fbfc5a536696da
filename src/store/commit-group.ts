// The rows of several write requests on their way into one transaction: ids minted, places given, not yet stored.
import { applyEvents } from '../event/apply.js';
import type { RowChunk, RowValue } from '../duckdb/rows.js';
import type { UnplacedRow } from '../schema/event-row.js';
import { nextXactId } from '../schema/xact-id.js';
import { BufferIndex } from './buffer-index.js';
import {
  eventChunks,
  storedValues,
  supersessionChunks,
  type RowPlace,
  type Supersession,
} from './event-table.js';
import type { EventBatch, ResolvedRequest } from './insert-request.js';
import type { BufferState, Generation } from './write-buffer.js';

export type RowLookup = (place: RowPlace) => UnplacedRow | undefined;

/** Thrown when a row that the request builds on was replaced since it was looked up. */
export class StaleRequest extends Error {}

export class CommitGroup {
  readonly #committed: BufferIndex;
  readonly #recent: RowLookup;
  readonly #firstRow: number;
  readonly #places = new BufferIndex();
  readonly #rows: UnplacedRow[] = [];
  readonly #values: (readonly RowValue[])[] = [];
  readonly supersessions: Supersession[] = [];
  #state: BufferState;
  #rowChunks: readonly RowChunk[] | undefined;
  #supersessionChunks: readonly RowChunk[] | undefined;

  /** `recent` finds rows that were committed moments ago, so that merges racing for one id need not look them up again. */
  constructor(state: BufferState, committed: BufferIndex, recent: RowLookup) {
    this.#state = state;
    this.#firstRow = state.generation.rowCount;
    this.#committed = committed;
    this.#recent = recent;
  }

  /** What is committed once this group is. */
  get state(): BufferState {
    return this.#state;
  }

  get source(): number {
    return this.#state.generation.source;
  }

  get lastXactId(): bigint {
    return this.#state.lastXactId;
  }

  get rowCount(): number {
    return this.#rows.length;
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
    const rows = request.batches.flatMap((batch) =>
      applyEvents(
        batch.object,
        batch.events,
        this.#liveRows(request, batch),
        BigInt(nowMs) * 1000n,
      ),
    );
    const xactId = nextXactId(this.#state.lastXactId, nowMs / 1000);
    for (const [position, row] of rows.entries()) this.#append(row, xactId, position);
    this.#state = { generation: this.#state.generation, lastXactId: xactId };
    return xactId;
  }

  /** Finds the rows of this group. */
  rowLookup(): RowLookup {
    const [rows, first, own] = [this.#rows, this.#firstRow, this.source];
    return ({ source, row }) => (source === own ? rows[row - first] : undefined);
  }

  // Made once and appended to both instances.
  rowChunks(): readonly RowChunk[] {
    return (this.#rowChunks ??= eventChunks(this.#values));
  }

  supersessionChunks(): readonly RowChunk[] {
    return (this.#supersessionChunks ??= supersessionChunks(this.supersessions));
  }

  #place(objectId: string, id: string): RowPlace | undefined {
    return this.#places.place(objectId, id) ?? this.#committed.place(objectId, id);
  }

  #liveRows(request: ResolvedRequest, { object, needed }: EventBatch): Map<string, UnplacedRow> {
    const live = new Map<string, UnplacedRow>();
    const staged = this.rowLookup();
    for (const id of needed) {
      const place = this.#place(object.id, id);
      if (place === undefined || place.deleted) continue;
      const row = staged(place) ?? request.rowAt(place) ?? this.#recent(place);
      if (row === undefined) throw new StaleRequest();
      live.set(id, row);
    }
    return live;
  }

  #append(row: UnplacedRow, xactId: bigint, position: number): void {
    const { generation } = this.#state;
    const previous = this.#place(row.object_id, row.id);
    if (previous !== undefined)
      this.supersessions.push({ source: previous.source, row: previous.row, byXactId: xactId });
    const place = { source: generation.source, row: generation.rowCount, deleted: row._deleted };
    this.#places.set(row.object_id, row.id, place);
    this.#rows.push(row);
    this.#values.push(storedValues(row, place.row, xactId, position));
    this.#state = {
      ...this.#state,
      generation: counted(generation, row, previous !== undefined),
    };
  }
}

const counted = (generation: Generation, row: UnplacedRow, supersedes: boolean): Generation => ({
  source: generation.source,
  rowCount: generation.rowCount + 1,
  tombstones: generation.tombstones + Number(row._deleted),
  lossless: generation.lossless + Number(row._lossless),
  superseded: generation.superseded + Number(supersedes),
});
