// Stores OpenTelemetry exports: each span becomes an event of the object that it names. All valid spans are stored in one
// transaction, and the answer lists the others; without a valid span the request is refused.
import { bodyMegabytesMax } from '../config.js';
import { readEvents } from '../event/decode.js';
import { textBytesOf, type IncomingEvent } from '../event/incoming.js';
import { badRequest, RequestError } from '../errors.js';
import { exportAnswer } from '../otlp/answer.js';
import { parentOf, parentTextOf, type Parent } from '../otlp/parent.js';
import { readSpans, spanTooLarge, type ReadSpan, type RefusedSpan } from '../otlp/read-spans.js';
import { eventOf } from '../otlp/row.js';
import type { EventObject } from '../schema/event-row.js';
import { limits } from '../schema/limits.js';
import { encodings, type Encoding } from '../schema/otlp.js';
import { formatXactId } from '../schema/xact-id.js';
import { eventBytesMax } from '../store/event-store.js';
import { may, mayUseAllIn, requirePrincipal } from './access.js';
import { eventSubject } from './event-subjects.js';
import type { Caller, ReserveMemory, KeyCaller, Services } from './context.js';
import { newProjectId, notCreatable } from './draft.js';
import { EventsMemory } from './events-memory.js';
import { inSteps } from '../in-steps.js';
import { ensureObject } from './objects.js';
import { organisationOf } from './organisation.js';
import type { Reply } from './reply.js';
import { eventsBytesMax, storeEvents, textBytesMax } from './store-events.js';
import { versionHeader } from './version.js';

export interface ExportRequest {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** The parent of spans that do not name one; null if the request has none. */
  readonly parent: string | null;
}

/** Spans with one parent. */
interface Batch {
  readonly parent: Parent;
  readonly path: string;
  readonly events: IncomingEvent[];
}

/** Spans that are not stored. */
interface Rejected {
  count: number;
  first: RequestError | null;
}

interface Collected {
  /** By the text that names the parent, and its source in the request. */
  readonly batches: Map<string, Batch>;
  readonly rejected: Rejected;
}

/** Whether an error is not about a span and may be temporary. The client then has to send all spans again. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof RequestError) || error.status >= 500;

function reject(rejected: Rejected, count: number, path: string, reason: RequestError): void {
  rejected.count += count;
  rejected.first ??= new RequestError(reason.status, `${path}: ${reason.message}`, reason.headers);
}

const megabyte = 2 ** 20;

/** An upper bound on the size of the ids of its object. */
const objectBytesMax = 1024;

/** Rejects a span that is too large for the store, which would otherwise refuse all of them. */
function checkSize({ config }: Services, event: IncomingEvent): void {
  const max = eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb);
  const size = textBytesOf(event) + objectBytesMax;
  if (size > max) throw spanTooLarge(size, max);
}

const parentsMax = limits.objects.max;

function batchOf({ batches }: Collected, { span, path }: ReadSpan, header: string | null): Batch {
  const { text, source } = parentTextOf(span, header);
  const key = `${source} ${text}`;
  const known = batches.get(key);
  if (known !== undefined) return known;
  const batch = { parent: parentOf(text, source), path, events: [] };
  batches.set(key, batch);
  return batch;
}

function addSpan(
  services: Services,
  collected: Collected,
  read: ReadSpan,
  header: string | null,
): IncomingEvent {
  const batch = batchOf(collected, read, header);
  const { kind, span } = batch.parent;
  const row = eventOf(read.span, read.origin, span);
  const [event] = readEvents(kind, [row], { plain: false, path: 'row' });
  checkSize(services, event!);
  batch.events.push(event!);
  return event!;
}

/** Adds the span, or its error to the rejected ones. Returns its event, or null. */
function addOrReject(
  services: Services,
  collected: Collected,
  read: ReadSpan,
  header: string | null,
): IncomingEvent | null {
  try {
    return addSpan(services, collected, read, header);
  } catch (error) {
    if (isTemporary(error)) throw error;
    reject(collected.rejected, 1, read.path, error as RequestError);
    return null;
  }
}

/** Reads the spans of the body; nothing is stored yet. */
async function collect(
  services: Services,
  { bytes, encoding, parent }: ExportRequest,
  reserve: ReserveMemory,
): Promise<Collected> {
  const collected: Collected = { batches: new Map(), rejected: { count: 0, first: null } };
  const originBytesMax = bodyMegabytesMax(services.config) * megabyte;
  const bytesMax = eventsBytesMax(services);
  const memory = new EventsMemory({ bodyBytes: bytes.length, bytesMax, reserve });
  let originBytes = 0;
  const add = (step: ReadSpan | RefusedSpan | null) => {
    if (step === null) return;
    if ('refusal' in step) {
      reject(collected.rejected, 1, step.path, step.refusal);
      return;
    }
    originBytes += step.originBytes;
    if (originBytes > originBytesMax) throw tooMuchRepeated(services);
    const event = addOrReject(services, collected, step, parent);
    if (event !== null) memory.add([event]);
    if (collected.batches.size > parentsMax) throw tooManyParents();
  };
  await inSteps(readSpans(bytes, encoding, textBytesMax(services)), add);
  return collected;
}

/** The error for resources and scopes that are too large together: each span is stored with its own copy. */
const tooMuchRepeated = ({ config }: Services) =>
  new RequestError(
    413,
    `the resources and scopes of all spans together are larger than the limit of ${bodyMegabytesMax(config)} MB`,
  );

const tooManyParents = () =>
  badRequest(`request body: expected spans of at most ${parentsMax} parents, got more`);

/**
 * Returns the project with the name. Creates it if there is none and the caller may write its logs. A refusal does not reveal whether
 * there is one.
 */
async function projectNamed(
  services: Services,
  principal: KeyCaller,
  name: string,
): Promise<string> {
  const orgId = organisationOf(services, principal);
  const key = { kind: 'project', orgId, projectId: null, name, slug: null } as const;
  const existing = services.catalog.holder(key);
  if (existing !== undefined && may(services, principal, 'update', existing, 'project_log'))
    return existing.id;
  const place = { orgId, projectId: newProjectId };
  if (existing === undefined && !mayUseAllIn(services, principal, 'project_log', place))
    throw notCreatable('project', `organization "${orgId}"`);
  const creator = { ...principal, permission: 'create' } as const;
  const { body } = await ensureObject(services, creator, 'project', new Map([['name', name]]));
  return (JSON.parse(body) as { readonly id: string }).id;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws RequestError 400 for a text that is not an id, 403 for an object that the caller may not write */
async function objectOf(
  services: Services,
  principal: KeyCaller,
  { kind, by, value, source }: Parent,
): Promise<EventObject> {
  try {
    const id = by === 'name' ? await projectNamed(services, principal, value) : value;
    if (!uuid.test(id)) throw badRequest('expected the id to be a UUID');
    return eventSubject(services, principal, kind, id.toLowerCase());
  } catch (error) {
    if (isTemporary(error)) throw error;
    const { status, message, headers } = error as RequestError;
    throw new RequestError(status, `${source}: ${message}`, headers);
  }
}

/** The batches whose object the caller may write. Rejects the spans of the others. */
async function resolved(
  services: Services,
  principal: KeyCaller,
  { batches, rejected }: Collected,
): Promise<readonly { readonly object: EventObject; readonly events: readonly IncomingEvent[] }[]> {
  const found = [];
  for (const { parent, path, events } of batches.values()) {
    if (events.length === 0) continue;
    try {
      found.push({ object: await objectOf(services, principal, parent), events });
    } catch (error) {
      if (isTemporary(error)) throw error;
      reject(rejected, events.length, path, error as RequestError);
    }
  }
  return found;
}

const replyOf = (
  encoding: Encoding,
  { count, first }: Rejected,
  version: string | null,
): Reply => ({
  contentType: encodings[encoding],
  headers: version === null ? {} : { [versionHeader]: version },
  body: exportAnswer(encoding, first === null ? null : { count, message: first.message }),
});

interface Stored {
  readonly rejected: Rejected;
  /** Null if no span is valid. */
  readonly xactId: bigint | null;
}

/**
 * Stores the spans of the objects that the caller may write. If the caller loses access to one of them before the commit, all are
 * resolved and stored once more.
 */
async function storeCollected(
  services: Services,
  caller: Caller,
  collected: Collected,
  mayRepeat = true,
): Promise<Stored> {
  const rejected = { ...collected.rejected };
  const batches = await resolved(services, requirePrincipal(caller), { ...collected, rejected });
  if (batches.length === 0) return { rejected, xactId: null };
  try {
    const { xactId } = await storeEvents(services, caller, batches);
    return { rejected, xactId };
  } catch (error) {
    const isLost = error instanceof RequestError && error.status === 403;
    if (!isLost || !mayRepeat) throw error;
    return storeCollected(services, caller, collected, false);
  }
}

/**
 * Stores the valid spans of an export.
 * @throws RequestError 400 for an invalid body, 413 for too large events, resources or scopes, 503 without memory or disk space; the error
 * of the first span (400 or 403) if no span is valid
 */
export async function storeSpans(
  services: Services,
  caller: Caller,
  request: ExportRequest,
  reserve: ReserveMemory,
): Promise<Reply> {
  const { encoding } = request;
  const collected = await collect(services, request, reserve);
  const { rejected, xactId } = await storeCollected(services, caller, collected);
  if (xactId !== null) return replyOf(encoding, rejected, formatXactId(xactId));
  if (rejected.first !== null) throw rejected.first;
  return replyOf(encoding, rejected, null);
}
