// Stores events for all use cases. It records the attachments that they name first, so that no attachment of a stored event
// is removed.
import type { IncomingBatch, Inserted } from '../store/event-store.js';
import { noteAttachments } from './attachment-rights.js';
import type { Caller, Services } from './context.js';

/** @throws as `EventStore.insert` */
export async function storeEvents(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
): Promise<Inserted> {
  await noteAttachments(services, caller, batches);
  return services.store.insert(batches);
}
