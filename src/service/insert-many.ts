// Inserts events into several objects in one transaction.
import { badRequest, type RequestError } from '../errors.js';
import { readEvents } from '../event/decode.js';
import type { IncomingEvent } from '../event/incoming.js';
import { RefusedEvents } from '../event/refused-events.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { memberOf, membersOf } from '../json/tree.js';
import type { EventObject, EventObjectKind } from '../schema/event-row.js';
import { limits } from '../schema/limits.js';
import { formatXactId } from '../schema/xact-id.js';
import { eventSubjectInBody } from './event-subjects.js';
import type { Caller, ReserveMemory, Services } from './context.js';
import { eventBytes } from './long-bodies.js';
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

const membersOrNone = (value: JsonValue): Iterable<readonly [string, JsonValue]> =>
  value === null ? [] : membersOf(value as JsonObject);

function countEvents(body: JsonObject): number {
  let count = 0;
  for (const [, objects] of membersOf(body))
    for (const [, value] of membersOrNone(objects))
      count += (memberOf(value as JsonObject, 'events') as readonly JsonValue[]).length;
  return count;
}

function batchesOf(services: Services, caller: Caller, body: JsonObject): readonly NamedBatch[] {
  return Array.from(membersOf(body), ([name, objects]) => {
    const kind = name as EventObjectKind;
    return Array.from(membersOrNone(objects), ([id, value]) => {
      const path = `${kind}.${id}`;
      const object = eventSubjectInBody(services, caller, kind, id, path);
      const sent = memberOf(value as JsonObject, 'events') as readonly JsonValue[];
      const events = readEvents(kind, sent, { plain: false, path: `${path}.events` });
      return { kind, id, object, events };
    });
  }).flat();
}

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
 * @param body the events by kind and id of their object
 * @throws RequestError 400 for an object that the caller may not write or an invalid event, 503 without memory for the events
 */
export async function insertIntoObjects(
  services: Services,
  caller: Caller,
  body: JsonObject,
  reserve: ReserveMemory,
): Promise<{ readonly rows: InsertedRows; readonly version: string }> {
  const count = countEvents(body);
  if (count > limits.events.max)
    throw badRequest(`request body: expected at most ${limits.events.max} events, got ${count}`);
  reserve(count * eventBytes);
  const batches = batchesOf(services, caller, body);
  const { xactId, rowIds } = await storeEvents(services, caller, batches).catch(
    (error: unknown) => {
      throw error instanceof RefusedEvents ? refusalOf(error, batches) : error;
    },
  );
  return { rows: rowsOf(batches, rowIds), version: formatXactId(xactId) };
}
