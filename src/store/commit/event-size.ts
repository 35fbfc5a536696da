// The size limit of one event. Every event that is accepted can be written to a segment within the memory limits.
import { abbreviated } from '../../errors.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { textColumns } from '../log/record.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { NewRow } from '../../event/row.js';
import { jsonByteLength, jsonBytesMax, type JsonText } from '../../json/json-text.js';

const megabyte = 2 ** 20;

/** The memory of the writer holds this many copies of a row that is moved from a buffer table. */
const writerShare = 8;
/** The memory for maintenance holds this many copies of a row that is written to a segment. */
const maintenanceShare = 16;

/** More memory, in MB, than writing a row of `bytes` to a segment needs. */
export const maintenanceMbFor = (bytes: number): number =>
  256 + Math.ceil((bytes * maintenanceShare) / megabyte);

/** The largest size of an event in bytes of UTF-8, from the memory limits of the instances that process it. */
export const eventBytesMax = (writerMb: number, maintenanceMb: number): number =>
  Math.floor(Math.min(writerMb / writerShare, maintenanceMb / maintenanceShare) * megabyte);

/** The rows that a request merges into or names as parents are limited to this many times the size limit of an event. */
const largestBases = 4;

/** That limit in bytes. The rows are in memory until the request is committed. */
export const basesBytesMax = (bytesMax: number): number => largestBases * bytesMax;

/** @throws RefusedEvents that lists the events whose rows have more than `bytesMax` bytes */
export function checkSizes(
  events: readonly IncomingEvent[],
  rows: readonly NewRow[],
  bytesMax: number,
): void {
  const refused: RefusedEvent[] = [];
  for (const row of rows) {
    if (sumOver(row, jsonBytesMax) <= bytesMax) continue;
    const bytes = sumOver(row, jsonByteLength);
    if (bytes <= bytesMax) continue;
    const index = events.findLastIndex(({ id }) => id === row.id);
    const event = events[index];
    if (event === undefined) continue;
    const merged = event.isMerge ? ' after the merge' : '';
    const reason = `: the event ${abbreviated(JSON.stringify(row.id))} has ${inMb(bytes)} MB${merged}, the limit is ${inMb(bytesMax)} MB`;
    refused.push({ event, index, reason });
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
}

function sumOver(row: NewRow, size: (text: JsonText) => number): number {
  let sum = 0;
  for (const name of textColumns) {
    const value = row[name as keyof NewRow] as JsonText | readonly string[] | null;
    if (Array.isArray(value)) for (const text of value as readonly string[]) sum += size(text);
    else if (value !== null) sum += size(value as JsonText);
  }
  return sum;
}

/** Rounded up, so that a size over the limit is never printed as equal to it. */
const inMb = (bytes: number): string => String(Math.ceil((bytes / megabyte) * 100) / 100);
