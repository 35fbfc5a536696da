// The bound on what one stored event takes up: whatever is accepted can be written to a segment later.
import type { IncomingEvent } from '../../event/incoming.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { UnplacedRow } from '../../schema/event-row.js';

const megabyte = 2 ** 20;

/** A row is held so many times in the memory of the writer, when it is taken over from a table … */
const writerShare = 8;
/** … and in the memory for maintenance, when it is written to a segment. */
const maintenanceShare = 16;

/** Far more than writing a row of `bytes` to a segment needs, in MB. */
export const maintenanceMbFor = (bytes: number): number =>
  256 + Math.ceil((bytes * maintenanceShare) / megabyte);

const shownIdLength = 100;

/** In bytes of UTF-8, under the memory limits of the engine instances that the row passes through. */
export const eventBytesMax = (writerMb: number, maintenanceMb: number): number =>
  Math.floor(Math.min(writerMb / writerShare, maintenanceMb / maintenanceShare) * megabyte);

/** @throws RefusedEvents that make those of `rows` that have more than `bytesMax` bytes */
export function checkSizes(
  events: readonly IncomingEvent[],
  rows: readonly UnplacedRow[],
  bytesMax: number,
): void {
  const refused: RefusedEvent[] = [];
  for (const row of rows) {
    // A UTF-16 code unit takes up at most three bytes.
    if (sumOver(row, (text) => text.length * 3) <= bytesMax) continue;
    const bytes = sumOver(row, (text) => Buffer.byteLength(text));
    if (bytes <= bytesMax) continue;
    const index = events.findLastIndex(({ id }) => id === row.id);
    const event = events[index];
    if (event === undefined) continue;
    const merged = event.isMerge ? ' after the merge' : '';
    const reason = `: the event ${shown(row.id)} has ${inMb(bytes)} MB${merged}, the limit is ${inMb(bytesMax)} MB`;
    refused.push({ event, index, reason });
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
}

function sumOver(row: UnplacedRow, size: (text: string) => number): number {
  let sum = 0;
  for (const value of Object.values(row) as readonly unknown[]) {
    if (typeof value === 'string') sum += size(value);
    else if (Array.isArray(value)) for (const text of value as readonly string[]) sum += size(text);
  }
  return sum;
}

/** Rounded up, so that what is over the limit is never shown as equal to it. */
const inMb = (bytes: number): string => String(Math.ceil((bytes / megabyte) * 100) / 100);

function shown(id: string): string {
  const text = JSON.stringify(id);
  return text.length > shownIdLength ? `${text.slice(0, shownIdLength)}…` : text;
}
