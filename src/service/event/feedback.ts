// Stores and lists feedback on events and prompts. One commit stores the changed values of events, the comments and the audit entries.
import { badRequest } from '../../errors.js';
import { RefusedEvents } from '../../event/refused-events.js';
import { feedbackEntries, feedbackMerges, readFeedback } from '../../event/feedback.js';
import { bodyOf } from '../../catalog/bodies.js';
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { inAnswerOrder } from '../../catalog/object-fields.js';
import type { JsonObject } from '../../json/json.js';
import { memberOf } from '../../json/tree.js';
import { entryTexts } from '../../query/sql/feedback.js';
import {
  feedbackObject,
  feedbackObjectId,
  type EntryKind,
  type FeedbackKind,
  type FeedbackRequest,
} from '../../schema/feedback.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import type { FinishedBytes, Snapshot } from '../../store/event-store.js';
import { requirePrincipal, requireObject } from '../access/access.js';
import { requireEventObject } from '../access/event-objects.js';
import { clientOf, type Caller, type Services } from '../context.js';
import { jsonReply, jsonType, type Reply, type StreamedReply } from '../reply.js';
import { storeEvents } from './store-events.js';
import { checkHistory, readVersion, versionHeaders } from '../version.js';

type FeedbackItems = ReturnType<typeof readFeedback>;

/** Returns the transaction id. */
async function storeForEvents(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  items: FeedbackItems,
): Promise<bigint> {
  const { userId } = requirePrincipal(caller);
  const object = requireEventObject(services, caller, kind, id);
  const required = items.map((item, index) => ({ id: item.id, path: `feedback[${index}].id` }));
  const { xactId } = await storeEvents(services, caller, [
    { object, events: feedbackMerges(kind, items), required },
    { object: feedbackObject(object), events: feedbackEntries(items, userId) },
  ]).catch(refuseFeedback);
  return xactId;
}

/** Events and entries are not numbered as the items of the request are. */
function refuseFeedback(error: unknown): never {
  throw error instanceof RefusedEvents ? badRequest(`feedback${error.refused[0]!.reason}`) : error;
}

function checkPromptIds(promptId: string, items: FeedbackItems): void {
  for (const [index, { id }] of items.entries())
    if (id.toLowerCase() !== promptId)
      throw badRequest(
        `feedback[${index}].id: expected the id of the prompt, ${JSON.stringify(promptId)}, got ${JSON.stringify(id)}`,
      );
}

/** The new fields of the prompt; undefined if the feedback changes none. */
async function taggedFields(
  { catalog }: Services,
  header: ObjectHeader,
  items: FeedbackItems,
): Promise<ObjectFields | undefined> {
  const tags = items.findLast(({ changes }) => changes['tags'] !== undefined)?.changes['tags'];
  return tags === undefined
    ? undefined
    : inAnswerOrder(header, new Map([...(await catalog.fields(header.id)), ['tags', tags]]));
}

/**
 * Stores the feedback. A change of tags creates a version of the prompt with the same transaction id. Other changes of the catalog
 * wait for this one, so it begins when the buffer has space for the events.
 */
async function storeForPrompt(
  services: Services,
  caller: Caller,
  id: string,
  items: FeedbackItems,
): Promise<bigint> {
  const { catalog, store } = services;
  const principal = requirePrincipal(caller);
  const { id: promptId, orgId, projectId } = requireObject(services, caller, 'prompt', id);
  checkPromptIds(promptId, items);
  const own = items.map((item) => ({ ...item, id: promptId }));
  const object = feedbackObject({ id: promptId, orgId, projectId: projectId ?? promptId });
  const batches = [{ object, events: feedbackEntries(own, principal.userId) }];
  await store.waitForSpace(batches);
  return catalog.change(async (changes) => {
    const prompt = requireObject(services, caller, 'prompt', id);
    const fields = await taggedFields(services, prompt, items);
    // Refuses tags that are too long before it stores the comments.
    if (fields !== undefined) bodyOf(prompt, fields);
    const storing = storeEvents(services, caller, batches, { hasWaited: true });
    const { xactId } = await storing.catch(refuseFeedback);
    if (fields !== undefined) await changes.replace({ ...prompt, xactId }, fields);
    return xactId;
  }, principal);
}

/**
 * Applies all items or none.
 * @throws RequestError 403 for the object, 400 for an empty item or an event that does not exist
 */
export async function giveFeedback(
  services: Services,
  caller: Caller,
  kind: FeedbackKind,
  id: string,
  body: JsonObject,
): Promise<Reply> {
  const items = readFeedback(kind, memberOf(body, 'feedback') as readonly JsonObject[]);
  const xactId =
    kind === 'prompt'
      ? await storeForPrompt(services, caller, id, items)
      : await storeForEvents(services, caller, kind, id, items);
  return jsonReply('{"status":"success"}', versionHeaders(xactId));
}

/** The rows with the entries about one event, or about all events of the object. */
function entryRows(snapshot: Snapshot, objectId: string, eventId: string | undefined) {
  const ids = [feedbackObjectId(objectId)];
  return eventId === undefined
    ? snapshot.live(ids)
    : snapshot.find(ids, { by: 'root_span_id', values: [eventId] });
}

async function* listText(
  comments: FinishedBytes,
  audit: FinishedBytes,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield '{"comments":[';
    yield* comments.chunks();
    yield '],"audit":[';
    yield* audit.chunks();
    yield ']}';
  } finally {
    await comments.remove();
    await audit.remove();
  }
}

/** The text is complete before it is sent, so that a slow client holds neither a turn nor the snapshot. */
async function listBody(
  snapshot: Snapshot,
  objectId: string,
  eventId: string | undefined,
  signal: AbortSignal,
): Promise<StreamedReply['body']> {
  const rows = await entryRows(snapshot, objectId, eventId);
  const tombstones = snapshot.deletions([objectId, feedbackObjectId(objectId)]);
  const reading = { queue: 'small', signal, columns: null, separator: ',' } as const;
  const textOf = async (kind: EntryKind) => {
    const query = entryTexts(rows, tombstones, kind);
    return (await snapshot.collectText(query, { ...reading, rowsMax: Infinity })).text;
  };
  const comments = await textOf('comment');
  try {
    return listText(comments, await textOf('audit'));
  } catch (error) {
    await comments.remove();
    throw error;
  }
}

/**
 * Lists the comments and audit entries of the live events, oldest first.
 * @throws RequestError 403 for the object, 400 for an invalid version or an exceeded budget, 429 if too many queries wait
 */
export async function listFeedback(
  services: Services,
  caller: Caller,
  kind: FeedbackKind,
  id: string,
  request: FeedbackRequest,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const { id: objectId } =
    kind === 'prompt'
      ? requireObject(services, caller, kind, id)
      : requireEventObject(services, caller, kind, id);
  const version = readVersion(request.version, 'version');
  checkHistory(services, [objectId], version, 'version');
  const snapshot = await services.store.snapshot(version, clientOf(caller));
  try {
    const body = await listBody(snapshot, objectId, request.event_id, signal);
    const headers = versionHeaders(snapshot.version);
    return { contentType: jsonType, headers, body };
  } finally {
    await snapshot.release();
  }
}
