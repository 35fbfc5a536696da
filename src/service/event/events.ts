// Inserts events into one object, and fetches pages of its events.
import { badRequest } from '../../errors.js';
import type { Sql } from '../../duckdb/sql.js';
import {
  decodeCursor,
  encodeCursor,
  type CursorPosition,
  type CursorReader,
  type CursorUse,
  type PagePosition,
  type PageVersion,
} from '../../query/cursor/page-cursor.js';
import { eventFields } from '../../query/page/event-json.js';
import { fetchRows } from '../../query/page/fetch-rows.js';
import { stringifyJson } from '../../json/stringify.js';
import { pageEvents } from '../../query/page/trace-page.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { EventColumn } from '../../schema/event-columns.js';
import type { EventObject, EventObjectKind } from '../../schema/event-row.js';
import type { FetchRequest } from '../../schema/request.js';
import type { ChunkOrder, Snapshot, XactRange } from '../../store/event-store.js';
import { requirePrincipal } from '../access/access.js';
import { positionOf } from '../query/cursor-position.js';
import { requireEventObject } from '../access/event-objects.js';
import { clientOf, cursorReader, type Caller, type Services } from '../context.js';
import { tagHeaders, unchanged } from '../entity-tag.js';
import type { EventForm } from '../../event/event-forms.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { decodeBody, type EventBody } from './decode-body.js';
import { pageChunks, type PageSource } from '../query/page-chunks.js';
import { planPage, type PagePlan } from '../query/page-plan.js';
import { checkPublicVersion } from '../access/public-experiments.js';
import { privateFields } from '../query/relation.js';
import { releasing, type Reading } from '../query/read-rows.js';
import { jsonType, type StreamedReply, type UnchangedReply } from '../reply.js';
import { storeEvents } from './store-events.js';
import { fetchedFromRows } from '../query/stored-rows.js';
import { checkHistory, readVersion, versionHeaders } from '../version.js';

/**
 * Inserts events, all or none.
 * @param form that of the body
 * @returns the row ids in input order, and the transaction id of the write
 * @throws RequestError 400 for an invalid event, 503 without memory for the events
 */
export async function insertEvents(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  body: EventBody,
  form: EventForm = 'json',
): Promise<{ row_ids: readonly string[]; version: string }> {
  const object = requireEventObject(services, caller, kind, id);
  const events: IncomingEvent[] = [];
  const list = { of: 'events', kind, form } as const;
  const decoding = decodeBody(services, caller, list, body, (event) => events.push(event));
  // An `await` of undefined would still cost a turn of the microtasks.
  if (decoding !== undefined) await decoding;
  const { xactId, rowIds } = await storeEvents(services, caller, [{ object, events }]);
  return { row_ids: rowIds[0] ?? [], version: formatXactId(xactId) };
}

/** The start of a fetch, and the versions of its rows. */
interface PageStart<Position extends CursorPosition = CursorPosition> {
  /** The version of the snapshot; null for the latest. */
  readonly version: bigint | null;
  readonly after: Position | null;
  /** The transaction as of which to read the rows, without ids that are deleted at the version; null for the version itself. */
  readonly asOfXactId: bigint | null;
}

const fetchOf = ({ id }: EventObject): CursorUse => ({ kind: 'fetch', of: id });

const foreignCursor = () => badRequest('cursor: not a cursor of this object');

function startOfCursor(cursor: string, object: EventObject, reader: CursorReader): PageStart {
  const decoded = decodeCursor(cursor, reader, fetchOf(object));
  if (decoded === null) throw foreignCursor();
  return { version: decoded.version, after: decoded, asOfXactId: decoded.asOfXactId ?? null };
}

function startOf(
  request: FetchRequest,
  object: EventObject,
  caller: Caller,
  reader: CursorReader,
): PageStart {
  const maxXactId = readVersion(request.max_xact_id, 'max_xact_id');
  const rootSpanId = request.max_root_span_id ?? null;
  const version = readVersion(request.version, 'version');
  if ((maxXactId === null) !== (rootSpanId === null))
    throw badRequest('max_xact_id and max_root_span_id: expected both or neither');
  if (typeof request.cursor === 'string') {
    if (maxXactId !== null) throw badRequest('cursor: not allowed together with max_xact_id');
    return startOfCursor(request.cursor, object, reader);
  }
  if (maxXactId === null || rootSpanId === null) return { version, after: null, asOfXactId: null };
  // Positions begin at 0, so -1 excludes all rows of (max_xact_id, max_root_span_id).
  const after = { xactId: maxXactId, rootSpanId, position: -1 };
  // Without a key, only versions since the publication are readable.
  return {
    version,
    after,
    asOfXactId: version === null && caller.kind === 'key' ? maxXactId : null,
  };
}

/** The start with its whole position. */
async function placed(reading: Reading, start: PageStart): Promise<PageStart<PagePosition>> {
  if (start.after === null) return { ...start, after: null };
  const after = await positionOf(reading, start.after);
  if (after === null) throw foreignCursor();
  return { ...start, after };
}

/** What all pages from the start share. A transaction in the future is none. */
const pageVersionOf = ({ version }: Snapshot, { asOfXactId }: PageStart): PageVersion =>
  asOfXactId !== null && asOfXactId < version ? { version, asOfXactId } : { version };

/** The rows of all pages after `start`. */
function pagesOf(
  snapshot: Snapshot,
  object: EventObject,
  start: PageStart<PagePosition>,
  request: FetchRequest,
) {
  const { version, asOfXactId } = pageVersionOf(snapshot, start);
  const at = asOfXactId ?? version;
  const deleted: Sql | null = asOfXactId === undefined ? null : snapshot.tombstoned([object.id]);
  return {
    rows: (range: XactRange, columns?: readonly EventColumn[]) =>
      fetchRows(snapshot.live([object.id], at, range), request.filters ?? [], deleted, columns),
    chunks: (order: ChunkOrder) => snapshot.chunks([object.id], order, at),
    after: start.after,
    limit: request.limit ?? null,
    rowsMax: snapshot.weight([object.id]).rows,
  };
}

async function* pageQueries(
  snapshot: Snapshot,
  kind: EventObjectKind,
  range: PagePlan['range'],
  source: PageSource,
): AsyncGenerator<Sql, void, void> {
  if (range === null) return;
  for await (const chunk of pageChunks(snapshot, { ...source, range }))
    yield pageEvents(kind, source.rows(chunk.xacts), chunk);
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
  // One turn per query, so that a long page shares the queue with other reads.
  for await (const query of queries) {
    const options = { queue: 'small', signal, ...target } as const;
    const { text, rowCount } = await snapshot.collectText(query, options);
    if (rowCount === 0) continue;
    try {
      yield Buffer.from(lead);
      yield* text.chunks();
    } finally {
      await text.remove();
    }
    lead = ',';
  }
  yield Buffer.from(`${lead === ',' ? '' : lead}],"cursor":${JSON.stringify(cursor)}}`);
}

/** Reads up to 1 MB. A page that ends within it becomes a buffer, a longer one a stream. */
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
  return releasing(snapshot, continued(first, parts));
}

const shortBytes = 2 ** 20;

async function* continued(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    yield* rest;
  } finally {
    // Removes the temporary file of a part that was not read to its end.
    await rest.return();
  }
}

export interface Fetch {
  readonly kind: EventObjectKind;
  readonly id: string;
  readonly request: FetchRequest;
  /** The header If-None-Match, or ''. */
  readonly ifNoneMatch: string;
}

function textOf({ kind, id }: EventObject, { filters, ...page }: FetchRequest): string {
  const filtered = filters?.map(({ path, value }) => [path, stringifyJson(value)]) ?? [];
  const { cursor, limit, max_xact_id: xactId, max_root_span_id: rootSpanId } = page;
  return JSON.stringify(['fetch', kind, id, cursor, limit, xactId, rootSpanId, filtered]);
}

/**
 * Streams a page of events.
 * @throws RequestError 400 for an invalid start or filter, 403 for the object, 401 for a field or version that needs a key
 */
export async function fetchEvents(
  services: Services,
  caller: Caller,
  { kind, id, request, ifNoneMatch }: Fetch,
  signal: AbortSignal,
): Promise<StreamedReply | UnchangedReply> {
  const object = requireEventObject(services, caller, kind, id);
  const reader = cursorReader(services, caller);
  const namesPrivate = request.filters?.some(({ path }) => privateFields.has(path[0] ?? ''));
  if (namesPrivate === true) requirePrincipal(caller);
  const start = startOf(request, object, caller, reader);
  checkPublicVersion(services, caller, object.id, start.version);
  const named = typeof request.cursor === 'string' ? 'cursor' : 'version';
  checkHistory(services, [object.id], start.version, named);
  checkHistory(services, [object.id], start.asOfXactId, 'max_xact_id');
  const tagged = {
    caller,
    objectIds: [object.id],
    version: start.version,
    text: textOf(object, request),
    ifNoneMatch,
  };
  const known = unchanged(services, tagged);
  if (known !== null) return known;
  const isFirst = start.version === null && start.after === null;
  const cursorOf = (next: PagePosition, pageVersion: PageVersion) =>
    encodeCursor({ ...next, ...pageVersion }, reader, fetchOf(object));
  const direct = isFirst
    ? await fetchedFromRows(services, caller, { kind, object, request, cursorOf, signal })
    : null;
  if (direct !== null)
    return {
      contentType: jsonType,
      headers: {
        ...tagHeaders(services, tagged, direct.found),
        ...versionHeaders(direct.found.version),
      },
      body: direct.body,
    };
  const snapshot = await services.store.snapshot(start.version, clientOf(caller));
  try {
    const from = await placed({ snapshot, objectIds: [object.id], signal }, start);
    const pages = pagesOf(snapshot, object, from, request);
    const page = await planPage(snapshot, { ...pages, signal });
    const next = page.next && cursorOf(page.next, pageVersionOf(snapshot, start));
    const queries = pageQueries(snapshot, kind, page.range, { ...pages, signal });
    const body = await pageBody(snapshot, pageText(snapshot, kind, queries, next, signal));
    const headers = {
      ...tagHeaders(services, tagged, snapshot),
      ...versionHeaders(snapshot.version),
    };
    return { contentType: jsonType, headers, body };
  } catch (error) {
    await snapshot.release();
    throw error;
  }
}
