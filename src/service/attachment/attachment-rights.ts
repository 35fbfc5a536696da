// Decides who may download an attachment: the user who announced it, and everyone who may read an object whose events name
// it. An event grants this only if its writer has the right, so naming the key of another user's attachment grants nothing.
import type {
  AnnouncedName,
  AttachmentName,
  AttachmentObject,
  AttachmentRecord,
  AttachmentReference,
  NamingEvent,
} from '../../catalog/attachments.js';
import { attachmentKeys } from '../../event/attachment-references.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import { inSteps } from '../../in-steps.js';
import { limits } from '../../schema/limits.js';
import type { IncomingBatch } from '../../store/event-store.js';
import { findObject, requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';

const nameOf = ({ orgId, key }: AttachmentName): string => JSON.stringify([orgId, key]);

/** The names, by `nameOf`, of those that the caller, who belongs to their organisations, may fetch with its permission. */
async function fetchable(
  services: Services,
  caller: KeyCaller,
  found: readonly AttachmentRecord[],
): Promise<ReadonlySet<string>> {
  const [names, others] = [new Set<string>(), [] as AnnouncedName[]];
  for (const record of found) {
    const { orgId, key, userId } = record;
    if (userId === caller.userId) names.add(nameOf(record));
    else others.push({ orgId, key, userId });
  }
  if (others.length === 0) return names;
  const { records } = services.attachments;
  const objects = await records.objectsOf(others);
  const readable = objects.filter(({ kind, id }) => findObject(services, caller, kind, id));
  if (readable.length > 0)
    for (const name of await records.grantedBy(readable, others)) names.add(nameOf(name));
  return names;
}

/** Whether the caller, who belongs to the organisation of the attachment, may fetch it with its permission. */
export const canFetch = async (
  services: Services,
  caller: KeyCaller,
  record: AttachmentRecord,
): Promise<boolean> => (await fetchable(services, caller, [record])).size > 0;

/** Whether an event of the object names the attachment and grants a right to it. */
export async function isNamedIn(
  services: Services,
  { orgId, key, userId }: AttachmentRecord,
  object: AttachmentObject,
): Promise<boolean> {
  if (userId === null) return false;
  const named = [{ orgId, key, userId }];
  return (await services.attachments.records.grantedBy([object], named)).length > 0;
}

interface Named extends AttachmentName, NamingEvent {
  readonly object: AttachmentObject | null;
}

/**
 * The keys of each event without duplicates; those of an object count once, and several batches may be of one object. Feedback is stored beside its object and grants
 * no right.
 * @throws RefusedEvents with the events with which they exceed the limit
 */
function* namesIn(batches: readonly IncomingBatch[]): Generator<void, readonly Named[]> {
  const names: Named[] = [];
  let count = 0;
  const refused: RefusedEvent[] = [];
  const knownKeys = new Map<string, Set<string>>();
  for (const { object, events } of batches) {
    const { kind, id, orgId } = object;
    const granting = kind === 'feedback' ? null : { kind, id };
    const known = knownKeys.get(id) ?? new Set();
    knownKeys.set(id, known);
    let index = 0;
    for (const keys of attachmentKeys(events, limits.attachments.max)) {
      yield;
      if (keys === null) continue;
      const added = keys.length === 0 ? keys : keys.filter((key) => !known.has(key));
      const event = events[index]!;
      if (count + added.length > limits.attachments.max)
        refused.push({ event, index, reason: tooManyAttachments });
      else {
        count += added.length;
        for (const key of added) known.add(key);
        for (const key of keys)
          names.push({ orgId, key, object: granting, objectId: id, eventId: event.id });
      }
      index += 1;
    }
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
  return names;
}

const tooManyAttachments = `: with its attachments, the request names more than ${limits.attachments.max}`;

/** By `nameOf`, the user who announced the attachment if the caller may share it, or null. */
async function announcersFor(
  services: Services,
  caller: KeyCaller,
  names: readonly AttachmentName[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await services.attachments.records.findAll(names);
  const shared = await fetchable(services, { ...caller, permission: 'read' }, found);
  return new Map(
    found.map((record) => {
      const name = nameOf(record);
      return [name, shared.has(name) ? record.userId : null];
    }),
  );
}

/**
 * Records the attachments that events name, if any. Called before the events are stored.
 * @throws RefusedEvents for those that name too many
 */
export function recordAttachments(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
): Promise<void> | undefined {
  const recordAll = (names: readonly Named[]) =>
    names.length === 0 ? undefined : record(services, caller, names);
  const finding = inSteps(namesIn(batches), () => {});
  return finding instanceof Promise ? finding.then(recordAll) : recordAll(finding);
}

/**
 * Records the attachments that restored events name, of any number, so that their files stay also if the earlier records are lost.
 * Rights stay as they are, since those who restore an event did not write it.
 */
export async function recordRestoredAttachments(
  services: Services,
  { object, events }: IncomingBatch,
): Promise<void> {
  const named = attachmentKeys(events);
  const ids = events.values();
  for (;;) {
    const references = await inSteps(referencesOf(named, ids, object), () => {});
    if (references.length === 0) return;
    await services.attachments.records.refer(references);
  }
}

/** References for the keys of the next events, at least as many as a request may have; none at the end. */
function* referencesOf(
  named: Iterator<readonly string[] | null>,
  events: Iterator<IncomingEvent>,
  { id: objectId, orgId }: IncomingBatch['object'],
): Generator<void, readonly AttachmentReference[]> {
  const references: AttachmentReference[] = [];
  while (references.length < limits.attachments.max) {
    const { value: keys, done } = named.next();
    if (done === true) break;
    yield;
    // Inside of a long event.
    if (keys === null) continue;
    const { id: eventId } = events.next().value as IncomingEvent;
    const reference = { orgId, objectId, eventId, object: null, announcerId: null };
    for (const key of keys) references.push({ ...reference, key });
  }
  return references;
}

async function record(services: Services, caller: Caller, names: readonly Named[]): Promise<void> {
  const principal = requirePrincipal(caller);
  const announcers = await announcersFor(services, principal, names);
  // Events often precede the attachments that they name. Their grants take effect if the same user announces the attachments.
  const announcerOf = (name: AttachmentName) => {
    const found = announcers.get(nameOf(name));
    return found === undefined ? principal.userId : found;
  };
  await services.attachments.records.refer(
    names.map((name) => Object.assign({ announcerId: announcerOf(name) }, name)),
  );
}
