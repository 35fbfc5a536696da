// A write request before its commit: its events by object, and the stored rows that it needs.
import type { IncomingEvent } from '../../event/incoming.js';
import { neededRows } from '../../event/apply.js';
import { idInTrace } from '../../event/span-ids.js';
import type { EventObject, UncommittedRow } from '../../schema/event-row.js';
import type { RowIndex } from '../row/row-index.js';
import type { RowLocation } from '../row/event-table.js';

/** A row that must exist for the request to succeed. */
export interface RequiredRow {
  readonly id: string;
  /** The path of the id in the request, for the error text. */
  readonly path: string;
}

export interface IncomingBatch {
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
  /** Rows that must be live when the events are stored. */
  readonly required?: readonly RequiredRow[];
}

export interface EventBatch extends Required<IncomingBatch> {
  /** Ids of merge bases and parents. */
  readonly needed: ReadonlySet<string>;
  /** Ids that may exist already: the needed ones, the required ones, those that the client chose, and those of spans in their traces. */
  readonly known: ReadonlySet<string>;
}

export interface ResolvedRequest {
  readonly batches: readonly EventBatch[];
  /** The set of segments that was searched; null when no id had to be looked up. */
  readonly publication: number | null;
  /** The latest versions of the ids that no buffered row has. */
  readonly flushed: Pick<RowIndex, 'find'>;
  /** The row that was looked up at this location. */
  rowAt(location: RowLocation): UncommittedRow | undefined;
  /** The trace of the row, if it was looked up at this location. */
  traceAt(location: RowLocation): string | undefined;
}

/** Groups the events by object, so that later events of an object see its earlier ones. */
export function toEventBatches(batches: readonly IncomingBatch[]): readonly EventBatch[] {
  const [only, ...others] = batches;
  if (only !== undefined && others.length === 0) return [toBatch(only)];
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
  return Array.from(objects.values(), toBatch);
}

function toBatch({ object, events, required = [] }: IncomingBatch): EventBatch {
  const needed = neededRows(events);
  const known = new Set(needed);
  for (const { id } of required) known.add(id);
  for (const event of events) {
    if (!event.idGenerated) known.add(event.id);
    const other = idInTrace(event);
    if (other !== undefined) known.add(other);
  }
  return { object, events, required, needed, known };
}

const nothing = () => undefined;

/** A request that needs no row of a segment. */
export const independent = (
  batches: readonly EventBatch[],
  publication: number | null,
): ResolvedRequest => ({
  batches,
  publication,
  flushed: { find: nothing },
  rowAt: nothing,
  traceAt: nothing,
});
