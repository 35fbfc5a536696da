// Looks up the rows of segments that a request needs, before the request waits for its commit. Buffered rows are read from
// the log during the commit.
import { BasesBudget, buildsOnRow } from '../../event/apply.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { UncommittedRow } from '../../schema/event-row.js';
import { groupBy } from '../row/group-by.js';
import { RowIndex, type GenerationIndexes } from '../row/row-index.js';
import type { RowLocation } from '../row/event-table.js';
import { independent, type EventBatch, type ResolvedRequest } from './insert-request.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import type { StoreState } from '../manifest/store-state.js';

type RowsBySource = ReadonlyMap<number, ReadonlyMap<number, UncommittedRow>>;

export class RequestResolver {
  readonly #segments: SegmentLookup;
  readonly #bytesMax: number;

  /** Events are refused from the row on with which the rows that they build on exceed `bytesMax` bytes. */
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

  /** @throws RefusedEvents that lists the events whose rows exceed the limit */
  async resolve(
    batches: readonly EventBatch[],
    state: StoreState,
    index: GenerationIndexes,
  ): Promise<ResolvedRequest> {
    const flushed = await this.#findFlushed(batches, state, index);
    const locations = neededLocations(batches, flushed);
    const budget = new BasesBudget(this.#bytesMax);
    const rows = await this.#readRows(locations, state, budget);
    const rowAt = ({ source, row }: RowLocation) => rows.get(source)?.get(row);
    if (locations.some((location) => rowAt(location) === undefined))
      throw new RefusedEvents(
        batches.flatMap((batch) => refusedEvents(batch, flushed, rowAt, budget.refusal())),
      );
    const traces = await this.#readTraces(batches, flushed, state);
    const traceAt = ({ source, row }: RowLocation) => traces.get(source)?.get(row);
    return { batches, publication: state.publication, flushed, rowAt, traceAt };
  }

  /** The traces of the live rows with the ids of spans. */
  async #readTraces(
    batches: readonly EventBatch[],
    flushed: RowIndex,
    { segments }: StoreState,
  ): Promise<ReadonlyMap<number, ReadonlyMap<number, string>>> {
    const locations = groupBy(spanLocations(batches, flushed), ({ source }) => source);
    const traces = new Map<number, ReadonlyMap<number, string>>();
    for (const segment of segments) {
      const rows = locations.get(segment.source)?.map(({ row }) => row);
      if (rows !== undefined)
        traces.set(segment.source, await this.#segments.tracesAt(segment, rows));
    }
    return traces;
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

  /** Reads rows within the budget. */
  async #readRows(
    locations: readonly RowLocation[],
    { segments }: StoreState,
    budget: BasesBudget,
  ): Promise<RowsBySource> {
    const rows = new Map<number, ReadonlyMap<number, UncommittedRow>>();
    for (const segment of segments) {
      if (budget.isExceeded) break;
      const numbers = locations
        .filter(({ source }) => source === segment.source)
        .map(({ row }) => row);
      if (numbers.length === 0) continue;
      const read = await this.#segments.rowsAt(segment, numbers, this.#bytesMax);
      rows.set(segment.source, rowsWithinBudget(budget, read));
    }
    return rows;
  }
}

/** The rows before the first one that exceeds the budget. */
function rowsWithinBudget(
  budget: BasesBudget,
  rows: ReadonlyMap<number, UncommittedRow>,
): ReadonlyMap<number, UncommittedRow> {
  const left = new Map<number, UncommittedRow>();
  for (const [number, row] of rows) {
    budget.count(row);
    if (budget.isExceeded) break;
    left.set(number, row);
  }
  return left;
}

/** The events that build on rows that were not read, since they exceed the budget. */
function refusedEvents(
  { object, events, needed }: EventBatch,
  flushed: RowIndex,
  rowAt: ResolvedRequest['rowAt'],
  reason: string,
): readonly RefusedEvent[] {
  const isOverBudget = (id: string) => {
    const location = flushed.find(object.id, id);
    return location !== undefined && !location.deleted && rowAt(location) === undefined;
  };
  const overBudget = new Set([...needed].filter(isOverBudget));
  const refused: RefusedEvent[] = [];
  for (const [index, event] of events.entries()) {
    const { id, isMerge, parentId } = event;
    const isRefused =
      buildsOnRow(event) &&
      ((isMerge && overBudget.has(id)) || (parentId !== null && overBudget.has(parentId)));
    if (isRefused) refused.push({ event, index, reason });
    // Later events build on this one.
    else if (!isMerge) overBudget.delete(id);
  }
  return refused;
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

function spanLocations(
  batches: readonly EventBatch[],
  index: Pick<RowIndex, 'find'>,
): readonly RowLocation[] {
  return batches.flatMap(({ object, events }) =>
    events.flatMap(({ id, traceId }) => {
      const location = traceId === undefined ? undefined : index.find(object.id, id);
      return location === undefined || location.deleted ? [] : location;
    }),
  );
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
