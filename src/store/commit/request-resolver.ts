// Looks up the rows of segments that a request needs, before the request waits for its commit. Buffered rows are read from
// the log during the commit.
import { badRequest } from '../../errors.js';
import { BasesBudget } from '../../event/apply.js';
import type { UncommittedRow } from '../../schema/event-row.js';
import { RowIndex, type GenerationIndexes } from '../row/row-index.js';
import type { RowLocation } from '../row/event-table.js';
import { independent, type EventBatch, type ResolvedRequest } from './insert-request.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import type { StoreState } from '../manifest/store-state.js';

type RowsBySource = ReadonlyMap<number, ReadonlyMap<number, UncommittedRow>>;

export class RequestResolver {
  readonly #segments: SegmentLookup;
  readonly #bytesMax: number;

  /** A request that needs rows of more than `bytesMax` bytes is refused. */
  constructor(segments: SegmentLookup, bytesMax: number) {
    this.#segments = segments;
    this.#bytesMax = bytesMax;
  }

  /** Returns null if files have to be read. `state` and `index` must be of one moment. */
  resolveAtOnce(
    batches: readonly EventBatch[],
    { segments, publication }: StoreState,
    index: GenerationIndexes,
  ): ResolvedRequest | null {
    if (batches.every(({ known }) => known.size === 0)) return independent(batches, null);
    const isInNoSegment = ({ object, known }: EventBatch) => {
      const searched = segments.filter(({ objects }) => objects.has(object.id));
      if (searched.length === 0) return true;
      return this.#segments.lack(searched, object.id, unbuffered(object.id, known, index));
    };
    return batches.every(isInNoSegment) ? independent(batches, publication) : null;
  }

  async resolve(
    batches: readonly EventBatch[],
    state: StoreState,
    index: GenerationIndexes,
  ): Promise<ResolvedRequest> {
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
      const ids = unbuffered(object.id, known, index);
      if (ids.length > 0) await this.#segments.find(segments, object.id, ids, found);
    }
    return found;
  }

  async #readRows(
    locations: readonly RowLocation[],
    { segments }: StoreState,
  ): Promise<RowsBySource> {
    const rows = new Map<number, ReadonlyMap<number, UncommittedRow>>();
    const budget = new BasesBudget(this.#bytesMax);
    for (const segment of segments) {
      const numbers = locations
        .filter(({ source }) => source === segment.source)
        .map(({ row }) => row);
      if (numbers.length === 0) continue;
      const read = await this.#segments.rowsAt(segment, numbers, this.#bytesMax);
      for (const row of read?.values() ?? []) budget.count(row);
      if (read === null || budget.isExceeded) throw badRequest(`events${budget.refusal()}`);
      rows.set(segment.source, read);
    }
    return rows;
  }
}

function unbuffered(
  objectId: string,
  ids: ReadonlySet<string>,
  index: GenerationIndexes,
): readonly string[] {
  const left: string[] = [];
  for (const id of ids) if (index.find(objectId, id) === undefined) left.push(id);
  return left;
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
