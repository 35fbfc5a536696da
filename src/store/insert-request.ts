// A write request before its commit: its events by object, and the stored rows they build on.
import type { IncomingEvent } from '../event/incoming.js';
import { neededRows } from '../event/apply.js';
import type { EventObject, UnplacedRow } from '../schema/event-row.js';
import type { BufferIndex } from './buffer-index.js';
import type { RowPlace } from './event-table.js';
import type { WriteBuffer } from './write-buffer.js';

export interface IncomingBatch {
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
}

export interface EventBatch extends IncomingBatch {
  /** Ids of merge bases and parents. */
  readonly needed: ReadonlySet<string>;
}

export interface ResolvedRequest {
  readonly batches: readonly EventBatch[];
  /** The row that was looked up at exactly this place. */
  rowAt(place: RowPlace): UnplacedRow | undefined;
}

/** One batch per object: later events of an object see its earlier ones, whatever stands between. */
export function toEventBatches(batches: readonly IncomingBatch[]): readonly EventBatch[] {
  const objects = new Map<string, { object: EventObject; events: IncomingEvent[] }>();
  for (const { object, events } of batches) {
    const batch = objects.get(object.id);
    if (batch === undefined) objects.set(object.id, { object, events: [...events] });
    else batch.events.push(...events);
  }
  return [...objects.values()].map(({ object, events }) => ({
    object,
    events,
    needed: neededRows(events).ids,
  }));
}

/** Looks up the live rows that the request needs, before it enters the queue of commits. */
export async function resolveRequest(
  batches: readonly EventBatch[],
  index: BufferIndex,
  buffer: WriteBuffer,
): Promise<ResolvedRequest> {
  const places: RowPlace[] = [];
  for (const { object, needed } of batches)
    for (const id of needed) {
      const place = index.place(object.id, id);
      if (place !== undefined && !place.deleted) places.push(place);
    }
  const rows = await buffer.rowsAt(places);
  return { batches, rowAt: ({ row }) => rows.get(row) };
}
