// Stores events for all use cases. First it records the attachments that new events name, so that none of a stored event is removed;
// right before the commit it checks access again.
import { bodyMegabytesMax } from '../../config.js';
import { hiddenDeletions } from '../../event/deletions.js';
import { inSteps } from '../../in-steps.js';
import { eventTextBytesMax } from '../../schema/limits.js';
import {
  eventBytesMax,
  type CommitCheck,
  type IncomingBatch,
  type Inserted,
  type InsertOptions,
} from '../../store/event-store.js';
import { currentPrincipal, requirePrincipal, requireObject } from '../access/access.js';
import { recordAttachments } from '../attachment/attachment-rights.js';
import type { Caller, Services } from '../context.js';
import { frameEventsBytesMax } from './events-memory.js';

/** The largest text of one event: the size of the largest event that the store takes, or more if that is small. */
export const textBytesMax = ({ config }: Pick<Services, 'config'>): number =>
  Math.max(eventTextBytesMax, eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb));

/** The largest size of the JSON of all events of a request: twice that of a body. */
export const eventsBytesMax = ({ config }: Pick<Services, 'config'>): number =>
  Math.min(2 * bodyMegabytesMax(config) * 2 ** 20, frameEventsBytesMax);

/**
 * Checks access again, since a request may wait long for its turn. A batch of feedback comes with a batch
 * of the object that it is about, or is about a prompt, which nothing else changes until the request ends.
 * @throws RequestError 401 if the key was deleted since the request was authenticated, 403 for the objects
 */
function checkAgain(services: Services, caller: Caller, batches: readonly IncomingBatch[]): void {
  currentPrincipal(services, requirePrincipal(caller));
  for (const { object } of batches)
    if (object.kind !== 'feedback') requireObject(services, caller, object.kind, object.id);
}

/**
 * Stores events whose attachments are recorded.
 * @throws as `EventStore.insert` and `checkAgain`
 */
export function storeRecorded(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
  options: InsertOptions = {},
): Promise<Inserted> {
  const checkBeforeCommit: CommitCheck = (lastWriteOf) => {
    checkAgain(services, caller, batches);
    options.checkBeforeCommit?.(lastWriteOf);
  };
  return services.store.insert(batches, { ...options, checkBeforeCommit });
}

/** @throws as `recordAttachments` and `storeRecorded` */
export function storeEvents(
  services: Services,
  caller: Caller,
  batches: readonly IncomingBatch[],
  options: InsertOptions = {},
): Promise<Inserted> {
  const record = (deletions: readonly IncomingBatch[]): Promise<Inserted> => {
    const store = () => storeRecorded(services, caller, [...batches, ...deletions], options);
    const recording = recordAttachments(services, caller, batches);
    return recording === undefined ? store() : recording.then(store);
  };
  const finding = inSteps(hiddenDeletions(batches), () => {});
  return finding instanceof Promise ? finding.then(record) : record(finding);
}
