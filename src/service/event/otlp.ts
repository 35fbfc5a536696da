// Stores OpenTelemetry exports: each span becomes an event of the object that it names. All valid spans are stored in one
// transaction, and the answer lists the others; without a valid span the request is refused.
import type { IncomingEvent } from '../../event/incoming.js';
import { bodyMegabytesMax } from '../../config.js';
import { badRequest, RequestError } from '../../errors.js';
import { RefusedEvents } from '../../event/refused-events.js';
import { exportAnswer } from '../../otlp/answer.js';
import { errorStatus } from '../../otlp/status.js';
import type { Parent } from '../../otlp/parent.js';
import type { EventObject } from '../../schema/event-row.js';
import { encodings, type Encoding } from '../../schema/otlp.js';
import { eventBytesMax } from '../../store/event-store.js';
import { can, canInContainer, requirePrincipal } from '../access/access.js';
import { requireEventObject } from '../access/event-objects.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { newProjectId, notCreatable } from '../object/draft.js';
import { ensureObject } from '../object/objects.js';
import { decodeBody, type EventBody } from './decode-body.js';
import { organisationOf } from '../access/organisation.js';
import type { ExportFormat, ExportItem, ExportLimits } from './export-items.js';
import type { Reply } from '../reply.js';
import { storeEvents, textBytesMax } from './store-events.js';
import { versionHeaders } from '../version.js';

/** Spans with one parent. */
interface Batch {
  readonly parent: Parent;
  readonly path: string;
  readonly events: readonly IncomingEvent[];
  /** The path of each. */
  readonly paths: readonly string[];
}

/** Spans that are not stored. */
interface Rejected {
  count: number;
  /** The reason for the first one; without one, a warning, or null. */
  first: RequestError | null;
}

interface Collected {
  readonly batches: readonly Batch[];
  readonly rejected: Rejected;
}

/** Whether an error is not about a span and may be temporary. The client then has to send all spans again. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof RequestError) || error.status >= 500;

type Reason = Pick<RequestError, 'status' | 'message'> & Partial<Pick<RequestError, 'headers'>>;

function reject(rejected: Rejected, count: number, path: string, reason: Reason): void {
  rejected.count += count;
  rejected.first ??= new RequestError(reason.status, `${path}: ${reason.message}`, reason.headers);
}

const limitsFor = ({ config }: Services): ExportLimits => ({
  textBytesMax: textBytesMax({ config }),
  eventBytesMax: eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb),
  originMegabytesMax: bodyMegabytesMax(config),
});

/** Reads the spans of the body; nothing is stored yet. */
async function collect(
  services: Services,
  caller: Caller,
  format: ExportFormat,
  body: EventBody,
): Promise<Collected> {
  const batches: (Batch & { readonly events: IncomingEvent[]; readonly paths: string[] })[] = [];
  const rejected: Rejected = { count: 0, first: null };
  const add = (item: ExportItem): void => {
    const { path } = item;
    if ('warning' in item) rejected.first ??= badRequest(item.warning);
    else if ('refusal' in item) reject(rejected, 1, path, item.refusal);
    else if ('parent' in item) batches.push({ parent: item.parent, path, events: [], paths: [] });
    else {
      const { events, paths } = batches[item.parentIndex]!;
      events.push(item.event);
      paths.push(path);
    }
  };
  const list = { of: 'spans', format, limits: limitsFor(services) } as const;
  await decodeBody(services, caller, list, body, add);
  return { batches, rejected };
}

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
  const existing = services.catalog.objectWithKey(key);
  if (existing !== undefined && can(services, principal, 'update', existing, 'project_log'))
    return existing.id;
  const place = { orgId, projectId: newProjectId };
  if (existing === undefined && !canInContainer(services, principal, 'project_log', place))
    throw notCreatable('project', `organisation "${orgId}"`);
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
    return requireEventObject(services, principal, kind, id.toLowerCase());
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
  for (const { parent, path, events } of batches) {
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

/** Rejects the refused spans. Returns the others. */
function withoutRefused({ batches, rejected }: Collected, { refused }: RefusedEvents): Collected {
  const reasons = new Map(refused.map(({ event, reason }) => [event, reason]));
  const { count, first } = rejected;
  const left = { count: count + reasons.size, first };
  const kept = batches.map((batch) => {
    const { events, paths } = batch;
    const isKept = (_: unknown, index: number) => !reasons.has(events[index]!);
    const at = events.findIndex((event) => reasons.has(event));
    if (at !== -1) left.first ??= badRequest(`${paths[at]}${reasons.get(events[at]!)}`);
    return { ...batch, events: events.filter(isKept), paths: paths.filter(isKept) };
  });
  return { batches: kept, rejected: left };
}

/** The encoding of a content type without parameters; JSON for an unknown one. */
export const encodingOf = (contentType: string): Encoding =>
  (Object.keys(encodings) as readonly Encoding[]).find((name) => encodings[name] === contentType) ??
  'json';

/** The answer to an export that fails, in the encoding of the request. */
export function exportError(contentType: string, status: number, message: string) {
  const encoding = encodingOf(contentType);
  return { contentType: encodings[encoding], body: errorStatus(encoding, status, message) };
}

const replyOf = (encoding: Encoding, { count, first }: Rejected, xactId: bigint | null): Reply => ({
  contentType: encodings[encoding],
  headers: xactId === null ? {} : versionHeaders(xactId),
  body: exportAnswer(encoding, first === null ? null : { count, message: first.message }),
});

const countOf = ({ batches }: Collected): number =>
  batches.reduce((sum, { events }) => sum + events.length, 0);

interface Stored {
  readonly rejected: Rejected;
  /** Null if no span is valid. */
  readonly xactId: bigint | null;
}

/**
 * Stores the spans of the objects that the caller may write, except those that are too large or name too many attachments. If the caller loses access to
 * one of the objects before the commit, all are resolved and stored once more.
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
    if (error instanceof RefusedEvents) {
      const left = withoutRefused(collected, error);
      if (countOf(left) === countOf(collected)) throw error;
      return storeCollected(services, caller, left, mayRepeat);
    }
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
  format: ExportFormat,
  body: EventBody,
): Promise<Reply> {
  const { encoding } = format;
  const collected = await collect(services, caller, format, body);
  const { rejected, xactId } = await storeCollected(services, caller, collected);
  if (xactId === null && rejected.count > 0) throw rejected.first!;
  return replyOf(encoding, rejected, xactId);
}
