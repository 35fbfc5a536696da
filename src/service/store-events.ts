// Stores events for all use cases. It records the attachments that they name first, so that no attachment of a stored event
// is removed.
import type { IncomingBatch, Inserted } from '../store/event-store.js';
import { noteAttachments } from './attachment-rights.js';
import type { Caller, Services } from './context.js';

/** @throws as `EventStore.insert` */
export function storeEvents(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
): Promise<Inserted> {
  const store = () => services.store.insert(batches);
  const noting = noteAttachments(services, caller, batches);
  return noting === undefined ? store() : noting.then(store);
}
