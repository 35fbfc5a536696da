// If a request deletes an event and inserts it again, only the new row is stored. A tombstone in the feedback object, in the trace of
// the event, records the deletion and ends the earlier feedback.
import type { EventObject } from '../schema/event-row.js';
import { feedbackObject } from '../schema/feedback.js';
import { readEvents } from './decode.js';
import type { IncomingEvent } from './incoming.js';

interface Batch {
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
}

/** The tombstones by object. Several batches may be of one object. */
export function hiddenDeletions(batches: readonly Batch[]): readonly Batch[] {
  const deleted = new Map<string, Set<string>>();
  const found: Batch[] = [];
  for (const { object, events } of batches) {
    let ids = deleted.get(object.id);
    if (ids === undefined) deleted.set(object.id, (ids = new Set()));
    const again = insertedAgain(events, ids);
    if (again.size > 0)
      found.push({ object: feedbackObject(object), events: Array.from(again, tombstoneFor) });
  }
  return found;
}

/** The ids of the events that insert a deleted event again. Adds deleted ones to `deleted`. */
function insertedAgain(
  events: readonly IncomingEvent[],
  deleted: Set<string>,
): ReadonlySet<string> {
  const again = new Set<string>();
  for (const { id, isDelete } of events) {
    if (isDelete) deleted.add(id);
    else if (deleted.has(id)) again.add(id);
  }
  return again;
}

function tombstoneFor(eventId: string): IncomingEvent {
  const row = { root_span_id: eventId, _object_delete: true };
  const [event] = readEvents('dataset', [row], { plain: false, path: 'deletion' });
  return event!;
}
