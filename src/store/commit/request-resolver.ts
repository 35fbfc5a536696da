// Looks up in segments what a request builds on, before it enters the queue of commits. Buffered rows need no lookup: they are
// read from the log when the request is committed.
import type { UnplacedRow } from '../../schema/event-row.js';
import { BufferIndex, type GenerationIndexes } from './buffer-index.js';
import type { RowPlace } from '../event-table.js';
import { independent, type EventBatch, type ResolvedRequest } from './insert-request.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import type { StoreState } from '../store-state.js';

type RowsBySource = ReadonlyMap<number, ReadonlyMap<number, UnplacedRow>>;

export class RequestResolver {
  readonly #segments: SegmentLookup;

  constructor(segments: SegmentLookup) {
    this.#segments = segments;
  }

  /** `state` and `index` must be of one moment. */
  async resolve(
    batches: readonly EventBatch[],
    state: StoreState,
    index: GenerationIndexes,
  ): Promise<ResolvedRequest> {
    if (batches.every(({ known }) => known.size === 0)) return independent(batches);
    const flushed = await this.#findFlushed(batches, state, index);
    const rows = await this.#readRows(neededPlaces(batches, flushed), state);
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

  async #readRows(places: readonly RowPlace[], { segments }: StoreState): Promise<RowsBySource> {
    const rows = new Map<number, ReadonlyMap<number, UnplacedRow>>();
    for (const segment of segments) {
      const numbers = places
        .filter(({ source }) => source === segment.source)
        .map(({ row }) => row);
      if (numbers.length > 0)
        rows.set(segment.source, await this.#segments.rowsAt(segment, numbers));
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
