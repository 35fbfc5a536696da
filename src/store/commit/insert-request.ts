// A write request before its commit: its events by object, and the stored rows they build on or replace.
import type { IncomingEvent } from '../../event/incoming.js';
import { neededRows } from '../../event/apply.js';
import type { EventObject, UnplacedRow } from '../../schema/event-row.js';
import { BufferIndex } from './buffer-index.js';
import type { RowPlace } from '../event-table.js';

/** A row that the request is about. */
export interface RequiredRow {
  readonly id: string;
  /** Where the request names it, for the error when it is not live. */
  readonly place: string;
}

export interface IncomingBatch {
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
  /** Rows that have to be live when the events are stored, else the request is refused. */
  readonly required?: readonly RequiredRow[];
}

export interface EventBatch extends Required<IncomingBatch> {
  /** Ids of merge bases and parents. */
  readonly needed: ReadonlySet<string>;
  /** Ids that may be stored already: needed ones, required ones and those that the client chose. */
  readonly known: ReadonlySet<string>;
}

export interface ResolvedRequest {
  readonly batches: readonly EventBatch[];
  /** The set of segments that was searched; null when no id had to be looked up. */
  readonly publication: number | null;
  /** The latest versions of the ids that no buffered row has. */
  readonly flushed: BufferIndex;
  /** The row that was looked up at exactly this place. */
  rowAt(place: RowPlace): UnplacedRow | undefined;
}

/** One batch per object: later events of an object see its earlier ones, whatever stands between. */
export function toEventBatches(batches: readonly IncomingBatch[]): readonly EventBatch[] {
  const objects = new Map<
    string,
    { object: EventObject; events: IncomingEvent[]; required: RequiredRow[] }
  >();
  for (const { object, events, required = [] } of batches) {
    const batch = objects.get(object.id);
    if (batch === undefined) {
      objects.set(object.id, { object, events: [...events], required: [...required] });
    } else {
      batch.events.push(...events);
      batch.required.push(...required);
    }
  }
  return [...objects.values()].map(toBatch);
}

function toBatch(batch: Required<IncomingBatch>): EventBatch {
  const needed = neededRows(batch.events).ids;
  const known = new Set(needed);
  for (const { id } of batch.required) known.add(id);
  for (const { id, idGenerated } of batch.events) if (!idGenerated) known.add(id);
  return { ...batch, needed, known };
}

/** A request that builds on nothing that is stored. */
export const independent = (batches: readonly EventBatch[]): ResolvedRequest => ({
  batches,
  publication: null,
  flushed: new BufferIndex(),
  rowAt: () => undefined,
});
