// Stores events for all use cases. It records the attachments that they name first, so that no attachment of a stored event
// is removed.
import { eventTextBytesMax } from '../schema/limits.js';
import { eventBytesMax, type IncomingBatch, type Inserted } from '../store/event-store.js';
import { noteAttachments } from './attachment-rights.js';
import type { Caller, Services } from './context.js';

/** The largest text of one event: the size of the largest event that the store takes, or more if that is small. */
export const textBytesMax = ({ config }: Pick<Services, 'config'>): number =>
  Math.max(eventTextBytesMax, eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb));

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
