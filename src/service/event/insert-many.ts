// Inserts events into several objects in one transaction.
import { badRequest, type RequestError } from '../../errors.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { objectParts } from '../../event/objects-body.js';
import { RefusedEvents } from '../../event/refused-events.js';
import type { EventObject } from '../../schema/event-row.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { Caller, Services } from '../context.js';
import { eventSubjectInBody } from '../access/event-objects.js';
import { decodeBody, type EventBody } from './decode-body.js';
import { storeEvents } from './store-events.js';

interface NamedBatch {
  readonly kind: string;
  /** The id in the client's spelling. */
  readonly id: string;
  readonly object: EventObject;
  readonly events: readonly IncomingEvent[];
}

/** Row ids in input order, by kind and by id of the object. */
type InsertedRows = Readonly<Record<string, Record<string, { row_ids: readonly string[] }>>>;

/** The error for the first of the refused events, with its path in the body. */
function refusalOf(error: RefusedEvents, batches: readonly NamedBatch[]): RequestError {
  const [first] = error.refused;
  const batch = batches.find(({ events }) => first !== undefined && events.includes(first.event));
  if (first === undefined || batch === undefined) return error;
  const { kind, id, events } = batch;
  return badRequest(`${kind}.${id}.events[${events.indexOf(first.event)}]${first.reason}`);
}

function rowsOf(batches: readonly NamedBatch[], rowIds: readonly string[][]): InsertedRows {
  const rows: Record<string, Record<string, { row_ids: readonly string[] }>> = {};
  for (const [index, { kind, id }] of batches.entries())
    (rows[kind] ??= {})[id] = { row_ids: rowIds[index] ?? [] };
  return rows;
}

/**
 * Inserts events, all or none.
 * @param body the JSON text of the events by kind and id of their object
 * @throws RequestError 400 for an object that the caller may not write or an invalid event, 503 without memory for the events
 */
export async function insertIntoObjects(
  services: Services,
  caller: Caller,
  body: EventBody,
): Promise<{ readonly rows: InsertedRows; readonly version: string }> {
  const parts = objectParts(body.bytes);
  const objects = parts.map(({ kind, id, name }) =>
    eventSubjectInBody(services, caller, kind, id, name),
  );
  const decoded = parts.map((): IncomingEvent[] => []);
  await decodeBody(services, caller, { of: 'objects', parts }, body, ({ part, event }) =>
    decoded[part]!.push(event),
  );
  const batches = parts.map(({ kind, id }, index) => ({
    kind,
    id,
    object: objects[index]!,
    events: decoded[index]!,
  }));
  const { xactId, rowIds } = await storeEvents(services, caller, batches).catch(
    (error: unknown) => {
      throw error instanceof RefusedEvents ? refusalOf(error, batches) : error;
    },
  );
  return { rows: rowsOf(batches, rowIds), version: formatXactId(xactId) };
}
