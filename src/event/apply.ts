// Applies the events of a request to the live rows that they build on. The result is the row versions to store.
import { randomUUID } from 'node:crypto';
import { abbreviated } from '../errors.js';
import { jsonLength } from '../json/json-text.js';
import { jsonColumns } from '../schema/event-columns.js';
import type { EventObject } from '../schema/event-row.js';
import { limits, tooMany } from '../schema/limits.js';
import { withoutValues } from './array-delete.js';
import type { IncomingEvent } from './incoming.js';
import { mergeRow } from './merge.js';
import { RefusedEvents, type RefusedEvent } from './refused-events.js';
import { buildRow, type NewRow, type SpanFields } from './row.js';
import { traceOfRow, withRowId, type StoredSpans } from './span-ids.js';

/** Returns the ids of the live rows that `applyEvents` needs: merge bases and parents outside of the request. */
export function neededRows(events: readonly IncomingEvent[]): ReadonlySet<string> {
  const ids = new Set<string>();
  const known = new Set<string>();
  for (const event of events) {
    if (event.isMerge && !event.isDelete && !event.idGenerated && !known.has(event.id)) {
      ids.add(event.id);
    }
    if (event.parentId !== null && !event.isDelete && !known.has(event.parentId)) {
      ids.add(event.parentId);
    }
    known.add(event.id);
  }
  return ids;
}

/**
 * The size of the rows that the events of a request build on, in bytes. They are in memory until the request is committed.
 * A row counts once, and again for each further merge into it.
 */
export class BasesBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isExceeded(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  count(row: NewRow): void {
    for (const column of jsonColumns) this.#bytes += jsonLength(row[column] ?? '');
  }

  refusal(): string {
    return `: the events of the request build on more than ${Math.floor(this.#bytesMax / 2 ** 20)} MB of stored events; send fewer in one request`;
  }
}

/** What events are applied to. */
export interface AppliedTo {
  readonly object: EventObject;
  /**
   * Returns the live row with an id that `neededRows` listed. For another id, which an earlier event of the request has, and only if
   * that event is refused, returns a row that stands for the live one. Undefined if no row with the id is live.
   */
  readonly storedRow: (id: string) => NewRow | undefined;
  readonly storedSpans: StoredSpans;
  readonly budget: BasesBudget;
  /** Microseconds since 1970. */
  readonly now: bigint;
  readonly newId?: () => string;
}

/**
 * Applies the events in order, at most one in each step; each sees the ones before it. Returns one row version per id, the last one, in
 * the order of the last occurrences.
 * @throws RefusedEvents that lists events with an unknown parent, their descendants, those that exceed the budget, and merges that
 * make too many tags
 */
export function* applyInSteps(
  target: AppliedTo,
  events: readonly IncomingEvent[],
): Generator<void, readonly NewRow[]> {
  const { budget } = target;
  const bases = new Bases(target);
  const refused: RefusedEvent[] = [];
  const isBeyondBudget = (event: IncomingEvent) => budget.isExceeded && buildsOnRow(event);
  for (const [index, event] of events.entries()) {
    const row = isBeyondBudget(event)
      ? null
      : yield* applied(yield* withRowId(event, bases), bases, target);
    // The row that this event builds on may have exceeded the budget.
    if (isBeyondBudget(event)) refused.push({ event, index, reason: budget.refusal() });
    else if (row === null) refused.push({ event, index, reason: unknownParent(event) });
    else if (unitesTooMany(event, row)) refused.push({ event, index, reason: tooManyTags(row) });
    else bases.set(row);
    yield;
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
  return bases.changed();
}

/** Whether the event is merged into a row, or has one as its parent. */
export const buildsOnRow = ({ isMerge, isDelete, parentId }: IncomingEvent): boolean =>
  !isDelete && (isMerge || parentId !== null);

/** The rows that events build on: those of the request so far, and stored ones, each of which is read once. */
class Bases implements StoredSpans {
  readonly #target: AppliedTo;
  readonly #changed = new Map<string, NewRow>();
  readonly #stored = new Map<string, NewRow | undefined>();

  constructor(target: AppliedTo) {
    this.#target = target;
  }

  /** Undefined also for a tombstone. */
  live(id: string): NewRow | undefined {
    const row = this.#changed.get(id) ?? this.#storedRow(id);
    return row?._deleted === true ? undefined : row;
  }

  /** The row to merge into. */
  merged(id: string): NewRow | undefined {
    const row = this.live(id);
    if (row !== undefined && this.#changed.has(id)) this.#target.budget.count(row);
    return row;
  }

  readonly isLive = (id: string): boolean => {
    const row = this.#changed.get(id);
    return row === undefined ? this.#target.storedSpans.isLive(id) : !row._deleted;
  };

  readonly traceOf = (id: string): Generator<void, string | null> => {
    const row = this.#changed.get(id);
    return row === undefined ? this.#target.storedSpans.traceOf(id) : traceOfRow(row);
  };

  set(row: NewRow): void {
    this.#changed.delete(row.id);
    this.#changed.set(row.id, row);
  }

  changed(): readonly NewRow[] {
    return [...this.#changed.values()];
  }

  #storedRow(id: string): NewRow | undefined {
    if (this.#stored.has(id)) return this.#stored.get(id);
    const row = this.#target.storedRow(id);
    this.#stored.set(id, row);
    if (row !== undefined) this.#target.budget.count(row);
    return row;
  }
}

/** Returns null for an unknown parent. */
function* applied(
  event: IncomingEvent,
  bases: Bases,
  { object, now, newId = randomUUID }: AppliedTo,
): Generator<void, NewRow | null> {
  const base = event.isMerge && !event.isDelete ? bases.merged(event.id) : undefined;
  const row =
    base === undefined
      ? newRow(object, event, spanFields(event, bases, newId), now)
      : yield* mergeRow(object, base, event);
  return row === null ? null : yield* withoutValues(row, event.arrayDeletes);
}

/** The row of a plain insert, or a tombstone, which has only its id; null without span fields. */
function newRow(
  object: EventObject,
  event: IncomingEvent,
  span: SpanFields | null,
  now: bigint,
): NewRow | null {
  if (span === null) return null;
  return buildRow(object, {
    id: event.id,
    deleted: event.isDelete,
    lossless: event.lossless && !event.isDelete,
    created: event.isDelete ? now : (event.created ?? now),
    span,
    scalars: event.isDelete ? {} : event.scalars,
    json: event.isDelete ? {} : event.json,
  });
}

/** Returns null if the parent is unknown. */
function spanFields(event: IncomingEvent, bases: Bases, newId: () => string): SpanFields | null {
  if (event.parentId === null || event.isDelete) return ownSpanFields(event, newId);
  const parent = bases.live(event.parentId);
  if (parent === undefined) return null;
  return { spanId: newId(), rootSpanId: parent.root_span_id, spanParents: [parent.span_id] };
}

function ownSpanFields(event: IncomingEvent, newId: () => string): SpanFields {
  const spanId = event.spanId ?? newId();
  return {
    spanId,
    rootSpanId: event.rootSpanId ?? spanId,
    spanParents: event.spanParents ?? null,
  };
}

const unknownParent = ({ parentId }: IncomingEvent): string =>
  `._parent_id: no row has the id ${abbreviated(JSON.stringify(parentId))}`;

/** An event with more tags cannot be inserted again, neither by a client nor by a restore. */
const unitesTooMany = ({ unitesTags, scalars }: IncomingEvent, row: NewRow): boolean =>
  unitesTags === true && Array.isArray(scalars.tags) && countOfTags(row) > limits.texts.max;

const tooManyTags = (row: NewRow): string =>
  `.tags: ${tooMany(limits.texts.max, countOfTags(row))} after the merge`;

const countOfTags = ({ tags }: NewRow): number => tags?.length ?? 0;
