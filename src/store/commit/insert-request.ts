// A write request before its commit: its events by object, and the stored rows they build on or replace.
import type { IncomingEvent } from '../../event/incoming.js';
import { neededRows } from '../../event/apply.js';
import type { EventObject, UnplacedRow } from '../../schema/event-row.js';
import { BufferIndex } from './buffer-index.js';
import type { RowPlace } from '../event-table.js';

export interface IncomingBatch {
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
}

export interface EventBatch extends IncomingBatch {
  /** Ids of merge bases and parents. */
  readonly needed: ReadonlySet<string>;
  /** Ids that may be stored already: the needed ones and those that the client chose. */
  readonly known: ReadonlySet<string>;
}

export interface ResolvedRequest {
  readonly batches: readonly EventBatch[];
  /** The set of segments that was searched; null when no id had to be looked up. */
  readonly publication: number | null;
  /** The latest versions of the ids that are not in the write buffer. */
  readonly flushed: BufferIndex;
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
  return [...objects.values()].map(toBatch);
}

function toBatch({ object, events }: IncomingBatch): EventBatch {
  const needed = neededRows(events).ids;
  const known = new Set(needed);
  for (const { id, idGenerated } of events) if (!idGenerated) known.add(id);
  return { object, events, needed, known };
}

/** A request that builds on nothing that is stored. */
export const independent = (batches: readonly EventBatch[]): ResolvedRequest => ({
  batches,
  publication: null,
  flushed: new BufferIndex(),
  rowAt: () => undefined,
});
