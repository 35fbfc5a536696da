// Looks up the rows of segments that a request needs, before the request waits for its commit. Buffered rows are read from
// the log during the commit.
import type { UncommittedRow } from '../../schema/event-row.js';
import { RowIndex, type GenerationIndexes } from '../row/row-index.js';
import type { RowLocation } from '../row/event-table.js';
import { independent, type EventBatch, type ResolvedRequest } from './insert-request.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import type { StoreState } from '../manifest/store-state.js';

type RowsBySource = ReadonlyMap<number, ReadonlyMap<number, UncommittedRow>>;

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
    const rows = await this.#readRows(neededLocations(batches, flushed), state);
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
  ): Promise<RowIndex> {
    const found = new RowIndex();
    for (const { object, known } of batches) {
      const ids = [...known].filter((id) => index.find(object.id, id) === undefined);
      if (ids.length > 0) await this.#segments.find(segments, object.id, ids, found);
    }
    return found;
  }

  async #readRows(
    locations: readonly RowLocation[],
    { segments }: StoreState,
  ): Promise<RowsBySource> {
    const rows = new Map<number, ReadonlyMap<number, UncommittedRow>>();
    for (const segment of segments) {
      const numbers = locations
        .filter(({ source }) => source === segment.source)
        .map(({ row }) => row);
      if (numbers.length > 0)
        rows.set(segment.source, await this.#segments.rowsAt(segment, numbers));
    }
    return rows;
  }
}

function neededLocations(
  batches: readonly EventBatch[],
  index: Pick<RowIndex, 'find'>,
): readonly RowLocation[] {
  return batches.flatMap(({ object, needed }) =>
    [...needed]
      .map((id) => index.find(object.id, id))
      .filter((location) => location !== undefined && !location.deleted),
  ) as readonly RowLocation[];
}
