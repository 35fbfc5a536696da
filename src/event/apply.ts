// The events of a request and the live rows they build on -> the row versions to store.
import { randomUUID } from 'node:crypto';
import type { EventObject, UnplacedRow } from '../schema/event-row.js';
import { withoutValues } from './array-delete.js';
import type { IncomingEvent } from './incoming.js';
import { mergeRow } from './merge.js';
import { RefusedEvents, type RefusedEvent } from './refused-events.js';
import { buildRow, type SpanFields } from './row.js';

/** Ids whose live rows `applyEvents` needs: merge bases and parents that the events do not make themselves. */
export function neededRows(events: readonly IncomingEvent[]): {
  readonly ids: ReadonlySet<string>;
} {
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
  return { ids };
}

/**
 * Applies the events in their order, each seeing the ones before it. One row version per id, its last
 * state, at the place of its last occurrence. `live` holds the rows that `neededRows` asked for, as far
 * as they are live. `now` in microseconds since 1970.
 * @throws RefusedEvents that have an unknown parent, with all that would be their descendants
 */
export function applyEvents(
  object: EventObject,
  events: readonly IncomingEvent[],
  live: ReadonlyMap<string, UnplacedRow>,
  now: bigint,
  newId: () => string = randomUUID,
): readonly UnplacedRow[] {
  const rows = new Map<string, UnplacedRow>();
  const liveRow = (id: string): UnplacedRow | undefined => {
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

/** A plain insert, or a tombstone, which keeps nothing but its id; null without span fields. */
function newRow(
  object: EventObject,
  event: IncomingEvent,
  span: SpanFields | null,
  now: bigint,
): UnplacedRow | null {
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

/** Null for an unknown parent. */
function spanFields(
  event: IncomingEvent,
  liveRow: (id: string) => UnplacedRow | undefined,
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
