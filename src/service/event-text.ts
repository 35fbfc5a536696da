// The size of the text of an event in a request.
import { eventTextBytesMax } from '../schema/limits.js';
import { eventBytesMax } from '../store/event-store.js';
import type { Services } from './context.js';

/** The largest text of one event: the size of the largest event that the store takes, or more if that is small. */
export const textBytesMax = ({ config }: Pick<Services, 'config'>): number =>
  Math.max(eventTextBytesMax, eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb));
