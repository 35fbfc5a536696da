// Looks up what a request builds on before it enters the queue of commits: in the write buffer, then in segments.
import type { UnplacedRow } from '../../schema/event-row.js';
import { BufferIndex, type GenerationIndexes } from './buffer-index.js';
import type { RowPlace } from '../event-table.js';
import { independent, type EventBatch, type ResolvedRequest } from './insert-request.js';
import type { RecentRows } from './recent-rows.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import type { StoreState } from '../store-state.js';
import type { WriteBuffer } from './write-buffer.js';

type RowsBySource = ReadonlyMap<number, ReadonlyMap<number, UnplacedRow>>;

export class RequestResolver {
  readonly #buffer: WriteBuffer;
  readonly #segments: SegmentLookup;
  readonly #recent: RecentRows;

  constructor(buffer: WriteBuffer, segments: SegmentLookup, recent: RecentRows) {
    this.#buffer = buffer;
    this.#segments = segments;
    this.#recent = recent;
  }

  /** `state` and `index` must be of one moment. */
  async resolve(
    batches: readonly EventBatch[],
    state: StoreState,
    index: GenerationIndexes,
  ): Promise<ResolvedRequest> {
    if (batches.every(({ known }) => known.size === 0)) return independent(batches);
    const buffered = neededPlaces(batches, index);
    const flushed = await this.#findFlushed(batches, state, index);
    const places = [...buffered, ...neededPlaces(batches, flushed)];
    const rows = await this.#rowsAt(places, state);
    return {
      batches,
      publication: state.publication,
      flushed,
      rowAt: ({ source, row }) => rows.get(source)?.get(row),
    };
  }

  async #findFlushed(
    batches: readonly EventBatch[],
    { segments }: StoreState,
    index: GenerationIndexes,
  ): Promise<BufferIndex> {
    const found = new BufferIndex();
    for (const { object, known } of batches) {
      const ids = [...known].filter((id) => index.place(object.id, id) === undefined);
      if (ids.length > 0) await this.#segments.find(segments, object.id, ids, found);
    }
    return found;
  }

  async #rowsAt(places: readonly RowPlace[], state: StoreState): Promise<RowsBySource> {
    const rows = new Map<number, Map<number, UnplacedRow>>();
    const others: RowPlace[] = [];
    for (const place of places) {
      const row = this.#recent.at(place);
      if (row === undefined) others.push(place);
      else rows.set(place.source, (rows.get(place.source) ?? new Map()).set(place.row, row));
    }
    for (const [source, found] of await this.#readRows(others, state))
      rows.set(source, new Map([...(rows.get(source) ?? []), ...found]));
    return rows;
  }

  async #readRows(places: readonly RowPlace[], { segments }: StoreState): Promise<RowsBySource> {
    const rows = new Map<number, ReadonlyMap<number, UnplacedRow>>();
    for (const source of new Set(places.map((place) => place.source))) {
      const numbers = places.filter((place) => place.source === source).map(({ row }) => row);
      const segment = segments.find((candidate) => candidate.source === source);
      const found =
        segment === undefined
          ? await this.#buffer.rowsAt(source, numbers)
          : await this.#segments.rowsAt(segment, numbers);
      rows.set(source, found);
    }
    return rows;
  }
}

function neededPlaces(
  batches: readonly EventBatch[],
  index: Pick<BufferIndex, 'place'>,
): readonly RowPlace[] {
  return batches.flatMap(({ object, needed }) =>
    [...needed]
      .map((id) => index.place(object.id, id))
      .filter((place) => place !== undefined && !place.deleted),
  ) as readonly RowPlace[];
}
