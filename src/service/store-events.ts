// The only way from a use case to the store for events: attachments that they name are recorded before the events are stored, so
// that no attachment of a stored event is ever removed.
import type { IncomingBatch, Inserted } from '../store/event-store.js';
import { noteAttachments } from './attachment-rights.js';
import type { Caller, Services } from './context.js';

/** Errors as of `EventStore.insert`. */
export async function storeEvents(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
): Promise<Inserted> {
  await noteAttachments(services, caller, batches);
  return services.store.insert(batches);
}
