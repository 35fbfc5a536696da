// Who may fetch an attachment: the user who announced it, and who may read an object whose events name it. An event gives this
// right only when it comes from a user who has it already: nobody gets it by naming the key of somebody else's attachment.
import type { AttachmentName, AttachmentObject, AttachmentRecord } from '../catalog/attachments.js';
import { attachmentKeys } from '../event/attachment-references.js';
import type { IncomingBatch } from '../store/event-store.js';
import { findSubject, requirePrincipal } from './access.js';
import type { Caller, KeyCaller, Services } from './context.js';

/** Whether the caller, who belongs to the organisation of the attachment, may fetch it with its permission. */
export async function mayFetch(
  services: Services,
  caller: KeyCaller,
  record: AttachmentRecord,
): Promise<boolean> {
  // Announced under a version that did not store by whom.
  if (record.userId === null || record.userId === caller.userId) return true;
  const objects = await services.attachments.records.objectsOf(record, record.userId);
  return objects.some(({ kind, id }) => findSubject(services, caller, kind, id) !== undefined);
}

interface Named extends AttachmentName {
  readonly object: AttachmentObject | null;
}

/** Each key once for each object. Feedback is kept beside its object, and gives no right. */
const namesIn = (batches: readonly IncomingBatch[]): readonly Named[] =>
  batches.flatMap(({ object: { kind, id, orgId }, events }) =>
    attachmentKeys(events).map((key) => ({
      orgId,
      key,
      object: kind === 'feedback' ? null : { kind, id },
    })),
  );

const nameOf = ({ orgId, key }: AttachmentName): string => JSON.stringify([orgId, key]);

/** By `nameOf`: the user whose attachments these are, as far as the caller may show them to others; null where not. */
async function announcersFor(
  services: Services,
  caller: KeyCaller,
  names: readonly AttachmentName[],
): Promise<ReadonlyMap<string, string | null>> {
  const announcers = new Map<string, string | null>();
  for (const record of await services.attachments.records.findAll(names)) {
    const isOwn = await mayFetch(services, { ...caller, permission: 'read' }, record);
    announcers.set(nameOf(record), isOwn ? record.userId : null);
  }
  return announcers;
}

/** To be called before the events are stored. */
export async function noteAttachments(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
): Promise<void> {
  const names = namesIn(batches);
  if (names.length === 0) return;
  const principal = requirePrincipal(caller);
  const announcers = await announcersFor(services, principal, names);
  // Events often come before the attachments that they name: what they give then counts if the same user announces those.
  const announcerOf = (name: AttachmentName) => {
    const found = announcers.get(nameOf(name));
    return found === undefined ? principal.userId : found;
  };
  await services.attachments.records.refer(
    names.map((name) => Object.assign({ announcerId: announcerOf(name) }, name)),
  );
}
