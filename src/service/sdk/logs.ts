// POST /logs3: stores rows of any objects in one transaction. A row that cannot be stored does not affect the others, since
// clients look at the status only and would drop the whole batch.
import { RequestError, badRequest } from '../../errors.js';
import type { IncomingEvent } from '../../event/incoming.js';
import type { SdkRow } from '../../event/sdk-row.js';
import type { ReadRow } from '../../event/read-sdk-rows.js';
import { RefusedEvents } from '../../event/refused-events.js';
import { inSteps } from '../../in-steps.js';
import type { EventObject } from '../../schema/event-row.js';
import { feedbackObject } from '../../schema/feedback.js';
import { formatXactId } from '../../schema/xact-id.js';
import type { IncomingBatch, Inserted } from '../../store/event-store.js';
import { requirePrincipal } from '../access/access.js';
import { eventSubjectInBody } from '../access/event-objects.js';
import type { Caller, Services } from '../context.js';
import { decodeBody, type EventBody } from '../event/decode-body.js';
import { jsonReply, type Reply } from '../reply.js';
import { storeEvents } from '../event/store-events.js';
import { versionHeaders } from '../version.js';

/** A row to store. */
interface Accepted {
  readonly row: SdkRow;
  /** The index in the request. */
  readonly index: number;
  readonly object: EventObject;
}

interface Refusal {
  /** The index of the row in the request. */
  readonly index: number;
  readonly id: string | null;
  readonly message: string;
}

interface ReadRows {
  readonly accepted: Accepted[];
  readonly refused: Refusal[];
}

const sentId = ({ id, event }: SdkRow): string | null => (event?.idGenerated === true ? null : id);

/** Resolves each object once for all rows of a request. */
function objectFinder(services: Services, caller: Caller) {
  const known = new Map<string, EventObject>();
  return ({ kind, objectId }: SdkRow, index: number): EventObject => {
    const key = `${kind} ${objectId}`;
    const found =
      known.get(key) ?? eventSubjectInBody(services, caller, kind, objectId, `rows[${index}]`);
    known.set(key, found);
    return found;
  };
}

type ObjectFinder = ReturnType<typeof objectFinder>;

/** Adds the row to the accepted ones, or to the refused ones if the caller may not write its object. */
function accept(
  { accepted, refused }: ReadRows,
  objectOf: ObjectFinder,
  { row, index }: Pick<Accepted, 'row' | 'index'>,
): void {
  try {
    accepted.push({ row, index, object: objectOf(row, index) });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    refused.push({ index, id: sentId(row), message: error.message });
  }
}

async function readLogs(services: Services, caller: Caller, body: EventBody): Promise<ReadRows> {
  const { userId } = requirePrincipal(caller);
  const objectOf = objectFinder(services, caller);
  const read: ReadRows = { accepted: [], refused: [] };
  const add = (sent: ReadRow): void => {
    if ('message' in sent) read.refused.push(sent);
    else accept(read, objectOf, sent);
  };
  await decodeBody(services, caller, { of: 'rows', userId }, body, add);
  return read;
}

/** The index of the last row that deletes an event, by `placeOfEvent`. */
function lastDeletions(rows: readonly Accepted[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { object, row, index } of rows)
    if (row.event?.isDelete === true) last.set(placeOfEvent(object, row.id), index);
  return last;
}

const placeOfEvent = ({ id: objectId }: EventObject, id: string): string => `${objectId} ${id}`;

/** The batches of the rows, without feedback on an event that the same or a later row deletes. */
function batchesOf(rows: readonly Accepted[]): readonly IncomingBatch[] {
  const batches = new Map<string, { object: EventObject; events: IncomingEvent[] }>();
  const add = (object: EventObject, events: readonly IncomingEvent[]) => {
    const batch = batches.get(object.id);
    if (batch === undefined) batches.set(object.id, { object, events: [...events] });
    else for (const event of events) batch.events.push(event);
  };
  const deletions = lastDeletions(rows);
  const isDeleted = ({ object, index }: Accepted, { rootSpanId }: IncomingEvent) =>
    (deletions.get(placeOfEvent(object, rootSpanId!)) ?? -1) >= index;
  for (const row of rows) {
    const { event, entries } = row.row;
    add(row.object, event === null ? [] : [event]);
    const kept = entries.filter((entry) => !isDeleted(row, entry));
    if (kept.length > 0) add(feedbackObject(row.object), kept);
  }
  return [...batches.values()];
}

const refusalOf = ({ index, row }: Accepted, reason: string): Refusal => ({
  index,
  id: sentId(row),
  message: `rows[${index}]${reason}`,
});

/** Adds the rows whose object the caller may not write any more to `refused`. Returns the others. */
function* acceptAgain(
  services: Services,
  caller: Caller,
  rows: readonly Accepted[],
  refused: Refusal[],
): Generator<void, readonly Accepted[]> {
  const objectOf = objectFinder(services, caller);
  const accepted: Accepted[] = [];
  for (const row of rows) {
    accept({ accepted, refused }, objectOf, row);
    yield;
  }
  return accepted;
}

/** Adds the rows with refused events to `refused`. Returns the others. */
function withoutRefused(
  error: RefusedEvents,
  rows: readonly Accepted[],
  refused: Refusal[],
): readonly Accepted[] {
  const reasons = new Map(error.refused.map(({ event, reason }) => [event, reason]));
  const refusedFor = ({ row }: Accepted) =>
    [row.event, ...row.entries].map((part) => part && reasons.get(part)).find((reason) => reason);
  for (const row of rows) {
    const reason = refusedFor(row);
    if (typeof reason === 'string') refused.push(refusalOf(row, reason));
  }
  return rows.filter((row) => typeof refusedFor(row) !== 'string');
}

/**
 * Stores the rows, except those that conflict with stored data or name too many attachments, and those of an object that the caller lost
 * access to before the commit. These are added to `refused`.
 */
async function store(
  services: Services,
  caller: Caller,
  rows: readonly Accepted[],
  refused: Refusal[],
): Promise<{ readonly stored: readonly Accepted[]; readonly xactId: Inserted['xactId'] }> {
  try {
    const { xactId } = await storeEvents(services, caller, batchesOf(rows));
    return { stored: rows, xactId };
  } catch (error) {
    let left: readonly Accepted[];
    if (error instanceof RefusedEvents) left = withoutRefused(error, rows, refused);
    else if (error instanceof RequestError && error.status === 403)
      left = await inSteps(acceptAgain(services, caller, rows, refused), () => {});
    else throw error;
    if (left.length === rows.length) throw error;
    return store(services, caller, left, refused);
  }
}

/**
 * Stores the valid rows; the answer lists the refused ones.
 * @param body the JSON text `{"rows": [...]}`
 * @throws RequestError 400 for a body that is not JSON or if all rows are refused; 503 without memory or disk space
 */
export async function storeLogs(
  services: Services,
  caller: Caller,
  body: EventBody,
): Promise<Reply> {
  const { accepted, refused } = await readLogs(services, caller, body);
  const { stored, xactId } = await store(services, caller, accepted, refused);
  const inOrder = refused.toSorted(byIndex);
  const [first] = inOrder;
  if (first !== undefined) {
    if (stored.length === 0) throw badRequest(first.message);
    const { keyId } = requirePrincipal(caller);
    const counts = { key: keyId, stored: stored.length, refused: refused.length };
    services.log.warn({ ...counts, first: placeOf(first) }, 'rows of /logs3 were refused');
  }
  const errors = refused.length === 0 ? {} : { errors: inOrder };
  const ids = stored.map(({ row }) => row.id);
  const answer = { ids, xact_id: formatXactId(xactId), ...errors };
  return jsonReply(JSON.stringify(answer), versionHeaders(xactId));
}

/** The row and its field, for the log, which has no contents of rows. Names inside a field are contents. */
const placeOf = ({ index, message }: Refusal): string =>
  `rows[${index}]${/^rows\[\d+\](\.\w+)/.exec(message)?.[1] ?? ''}`;

const byIndex = (a: Refusal, b: Refusal) => a.index - b.index;
