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

/** Returns the tombstones by object, after one step for each event. Several batches may be of one object. */
export function* hiddenDeletions(batches: readonly Batch[]): Generator<void, readonly Batch[]> {
  const deleted = new Map<string, Set<string>>();
  const found: Batch[] = [];
  for (const { object, events } of batches) {
    let ids = deleted.get(object.id);
    if (ids === undefined) deleted.set(object.id, (ids = new Set()));
    const tombstones = yield* tombstonesFor(events, ids);
    if (tombstones.length > 0) found.push({ object: feedbackObject(object), events: tombstones });
  }
  return found;
}

/** Makes one for each id of a deleted event that is inserted again. Adds the ids of deleted events to `deleted`. */
function* tombstonesFor(
  events: readonly IncomingEvent[],
  deleted: Set<string>,
): Generator<void, readonly IncomingEvent[]> {
  const tombstones = new Map<string, IncomingEvent>();
  for (const { id, isDelete } of events) {
    if (isDelete) deleted.add(id);
    else if (deleted.has(id) && !tombstones.has(id)) tombstones.set(id, tombstoneFor(id));
    yield;
  }
  return [...tombstones.values()];
}

function tombstoneFor(eventId: string): IncomingEvent {
  const row = { root_span_id: eventId, _object_delete: true };
  const [event] = readEvents('dataset', [row], { plain: false, path: 'deletion' });
  return event!;
}
