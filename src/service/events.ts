// Inserts and fetches events.
import type { IncomingEvent } from '../event/incoming.js';
import { decodeInSteps } from '../event/decode.js';
import { badRequest } from '../errors.js';
import type { Sql } from '../duckdb/sql.js';
import {
  decodeCursor,
  encodeCursor,
  type CursorReader,
  type CursorUse,
  type PagePosition,
} from '../query/cursor/page-cursor.js';
import { eventFields } from '../query/page/event-json.js';
import { fetchRows } from '../query/page/fetch-rows.js';
import { stringifyJson } from '../json/stringify.js';
import { pageEvents } from '../query/page/trace-page.js';
import { formatXactId } from '../schema/xact-id.js';
import type { EventColumn } from '../schema/event-columns.js';
import type { EventObject, EventObjectKind } from '../schema/event-row.js';
import type { FetchRequest } from '../schema/request.js';
import type { Snapshot, XactRange } from '../store/event-store.js';
import { eventSubject } from './access.js';
import {
  clientOf,
  cursorReader,
  type Caller,
  type ReserveMemory,
  type Services,
} from './context.js';
import { tagHeaders, unchanged } from './entity-tag.js';
import { inSteps } from './in-steps.js';
import { pageParts, type PageSource } from './page-parts.js';
import { planPage, type PagePlan } from './page-plan.js';
import { jsonType, type StreamedReply, type UnchangedReply } from './reply.js';
import { storeEvents } from './store-events.js';
import { fetchedFromRows } from './stored-rows.js';
import { readVersion, versionHeader } from './version.js';

/** The memory of a parsed event in bytes, without its text. */
export const eventBytes = 1024;

/**
 * `body` is the text of `{"events": [...]}`.
 * @returns the row ids in input order, and the transaction id of the write
 * @throws RequestError 400 for a bad event, 503 without memory for them: nothing is stored
 */
export async function insertEvents(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  body: Buffer,
  reserve: ReserveMemory,
): Promise<{ row_ids: readonly string[]; version: string }> {
  const object = eventSubject(services, caller, kind, id);
  const events: readonly IncomingEvent[] = await inSteps(decodeInSteps(kind, body), (count) =>
    reserve(count * eventBytes),
  );
  const { xactId, rowIds } = await storeEvents(services, caller, [{ object, events }]);
  return { row_ids: rowIds[0] ?? [], version: formatXactId(xactId) };
}

/** The start of a fetch, and the versions of its rows. */
interface PagePlace {
  /** Transaction id of the snapshot to pin; null for the latest. */
  readonly version: bigint | null;
  readonly after: PagePosition | null;
  /** Shows the rows as of `after`, but for ids that are deleted by now. */
  readonly asOfPlace: boolean;
}

const fetchOf = ({ id }: EventObject): CursorUse => ({ kind: 'fetch', of: id });

function placeOfCursor(cursor: string, object: EventObject, reader: CursorReader): PagePlace {
  const decoded = decodeCursor(cursor, reader, fetchOf(object));
  if (decoded === null) throw badRequest('cursor: not a cursor of this object');
  return { version: decoded.version, after: decoded, asOfPlace: false };
}

function placeOf(request: FetchRequest, object: EventObject, reader: CursorReader): PagePlace {
  const maxXactId = readVersion(request.max_xact_id, 'max_xact_id');
  const rootSpanId = request.max_root_span_id ?? null;
  const version = readVersion(request.version, 'version');
  if ((maxXactId === null) !== (rootSpanId === null))
    throw badRequest('max_xact_id and max_root_span_id: expected both or neither');
  if (typeof request.cursor === 'string') {
    if (maxXactId !== null) throw badRequest('cursor: not allowed together with max_xact_id');
    return placeOfCursor(request.cursor, object, reader);
  }
  if (maxXactId === null || rootSpanId === null) return { version, after: null, asOfPlace: false };
  // Positions start at 0: the whole tuple (max_xact_id, max_root_span_id) is left out.
  const after = { xactId: maxXactId, rootSpanId, position: -1 };
  return { version, after, asOfPlace: version === null };
}

/** What all pages from this place on are cut from. */
function pagesOf(snapshot: Snapshot, object: EventObject, place: PagePlace, request: FetchRequest) {
  const at = (place.asOfPlace ? place.after?.xactId : undefined) ?? snapshot.version;
  const gone: Sql | null = place.asOfPlace ? snapshot.tombstoned([object.id]) : null;
  return {
    rows: (range: XactRange, columns?: readonly EventColumn[]) =>
      fetchRows(snapshot.live([object.id], at, range), request.filters ?? [], gone, columns),
    spans: (before: bigint, rowsMin: number) => snapshot.spans([object.id], at, before, rowsMin),
    portions: (range: XactRange, rowsMax: number) =>
      snapshot.portions([object.id], at, range, rowsMax),
    after: place.after,
    limit: request.limit ?? null,
  };
}

async function* pageQueries(
  snapshot: Snapshot,
  kind: EventObjectKind,
  { range, rows: rowsMax }: PagePlan,
  source: PageSource,
): AsyncGenerator<Sql, void, void> {
  if (range === null) return;
  for await (const part of pageParts(snapshot, { ...source, range, rowsMax }))
    yield pageEvents(kind, source.rows(part.xacts), part);
}

async function* pageText(
  snapshot: Snapshot,
  kind: EventObjectKind,
  queries: AsyncIterable<Sql>,
  cursor: string | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const target = { columns: eventFields(kind), separator: ',', rowsMax: Infinity };
  let lead = '{"events":[';
  // A turn each: who reads a long page shares the engine with the others, and weighing takes a turn of its own.
  for await (const query of queries) {
    const options = { lane: 'lookup', signal, ...target } as const;
    const { text, rowCount } = await snapshot.collectText([query], options);
    if (rowCount === 0) continue;
    yield Buffer.from(lead);
    yield* text.chunks();
    lead = ',';
  }
  yield Buffer.from(`${lead === ',' ? '' : lead}],"cursor":${JSON.stringify(cursor)}}`);
}

/** Starts to read. A short page is sent at once. */
async function pageBody(
  snapshot: Snapshot,
  parts: AsyncGenerator<Uint8Array, void, void>,
): Promise<StreamedReply['body']> {
  const first: Uint8Array[] = [];
  for (let length = 0; length < shortBytes;) {
    const { value, done } = await parts.next();
    if (done === true || value === undefined) {
      await snapshot.release();
      return Buffer.concat(first);
    }
    first.push(value);
    length += value.length;
  }
  return releasing(snapshot, first, parts);
}

const shortBytes = 2 ** 20;

async function* releasing(
  snapshot: Snapshot,
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncIterable<Uint8Array> {
  try {
    yield* first;
    yield* rest;
  } finally {
    // It has begun, and may have a temporary file.
    await rest.return();
    await snapshot.release();
  }
}

export interface Fetch {
  readonly kind: EventObjectKind;
  readonly id: string;
  readonly request: FetchRequest;
  /** Value of the header `If-None-Match`; empty without one. */
  readonly ifNoneMatch: string;
}

function textOf({ kind, id }: EventObject, { filters, ...place }: FetchRequest): string {
  const filtered = filters?.map(({ path, value }) => [path, stringifyJson(value)]) ?? [];
  const { cursor, limit, max_xact_id: xactId, max_root_span_id: rootSpanId } = place;
  return JSON.stringify(['fetch', kind, id, cursor, limit, xactId, rootSpanId, filtered]);
}

/** One page of events, streamed. Errors: 400 for a bad place or filter, 403 for the object. */
export async function fetchEvents(
  services: Services,
  caller: Caller,
  { kind, id, request, ifNoneMatch }: Fetch,
  signal: AbortSignal,
): Promise<StreamedReply | UnchangedReply> {
  const object = eventSubject(services, caller, kind, id);
  const reader = cursorReader(services, caller);
  const place = placeOf(request, object, reader);
  const question = {
    caller,
    objectIds: [object.id],
    version: place.version,
    text: textOf(object, request),
    ifNoneMatch,
  };
  const known = unchanged(services, question);
  if (known !== null) return known;
  const isFirst = place.version === null && place.after === null;
  const direct = isFirst
    ? await fetchedFromRows(services, caller, kind, object, request, signal)
    : null;
  if (direct !== null)
    return {
      contentType: jsonType,
      headers: {
        ...tagHeaders(services, question, direct.found),
        [versionHeader]: formatXactId(direct.found.version),
      },
      body: direct.body,
    };
  const snapshot = await services.store.snapshot(place.version, clientOf(caller));
  try {
    const pages = pagesOf(snapshot, object, place, request);
    const page = await planPage(snapshot, { ...pages, signal });
    // The pages after one of older versions show these versions, too.
    const version = (place.asOfPlace ? place.after?.xactId : null) ?? snapshot.version;
    const next = page.next && encodeCursor({ ...page.next, version }, reader, fetchOf(object));
    const queries = pageQueries(snapshot, kind, page, { ...pages, signal });
    const body = await pageBody(snapshot, pageText(snapshot, kind, queries, next, signal));
    const headers = {
      ...tagHeaders(services, question, snapshot),
      [versionHeader]: formatXactId(snapshot.version),
    };
    return { contentType: jsonType, headers, body };
  } catch (error) {
    await snapshot.release();
    throw error;
  }
}
