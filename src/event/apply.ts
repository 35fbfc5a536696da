// Applies the events of a request to the live rows that they build on. The result is the row versions to store.
import { randomUUID } from 'node:crypto';
import type { EventObject } from '../schema/event-row.js';
import { withoutValues } from './array-delete.js';
import type { IncomingEvent } from './incoming.js';
import { mergeRow } from './merge.js';
import { RefusedEvents, type RefusedEvent } from './refused-events.js';
import { buildRow, type NewRow, type SpanFields } from './row.js';

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
 * Applies the events in order; each sees the ones before it. Returns one row version per id, the last one, in the order of the
 * last occurrences. `live` holds the rows that `neededRows` listed, if they are live. `now` is in microseconds since 1970.
 * @throws RefusedEvents that lists events with an unknown parent, and their descendants
 */
export function applyEvents(
  object: EventObject,
  events: readonly IncomingEvent[],
  live: ReadonlyMap<string, NewRow>,
  now: bigint,
  newId: () => string = randomUUID,
): readonly NewRow[] {
  const rows = new Map<string, NewRow>();
  const liveRow = (id: string): NewRow | undefined => {
    const row = rows.get(id) ?? live.get(id);
    return row?._deleted === true ? undefined : row;
  };
  const refused: RefusedEvent[] = [];
  for (const [index, event] of events.entries()) {
    const base = event.isMerge && !event.isDelete ? liveRow(event.id) : undefined;
    const row =
      base === undefined
        ? newRow(object, event, spanFields(event, liveRow, newId), now)
        : mergeRow(object, base, event);
    if (row === null) {
      refused.push({ event, index, reason: unknownParent(event) });
      continue;
    }
    rows.delete(event.id);
    rows.set(event.id, withoutValues(row, event.arrayDeletes ?? []));
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
  return [...rows.values()];
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
    datasetRecordId: event.isDelete ? null : (event.datasetRecordId ?? null),
    tags: event.isDelete ? null : (event.tags ?? null),
    json: event.isDelete ? {} : event.json,
  });
}

/** Returns null if the parent is unknown. */
function spanFields(
  event: IncomingEvent,
  liveRow: (id: string) => NewRow | undefined,
  newId: () => string,
): SpanFields | null {
  if (event.parentId === null || event.isDelete) return ownSpanFields(event, newId);
  const parent = liveRow(event.parentId);
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
  `._parent_id: no row has the id ${JSON.stringify(parentId)}`;
