// The size limit of one event. Every event that is accepted can be written to a segment within the memory limits.
import { abbreviated, RequestError } from '../../errors.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { recordFixedBytes, textColumns, textsOf } from '../log/record.js';
import { idInTrace } from '../../event/span-ids.js';
import { RefusedEvents, type RefusedEvent } from '../../event/refused-events.js';
import type { NewRow } from '../../event/row.js';
import { jsonByteLength, jsonBytesMax, type JsonText } from '../../json/json-text.js';

const megabyte = 2 ** 20;

/** The memory of the writer holds this many copies of a row that a rebuild of the manifest moves. */
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

/**
 * The largest size of the rows of a request in the log. A frame of the log has less than 2 GiB; the rest is for the requests before it
 * in its group, and for supersessions.
 */
export const requestBytesMax = 2 ** 31 - 2 ** 26;

/**
 * @returns a bound of the bytes of the rows in the log
 * @throws RefusedEvents that lists the events whose rows have more than `bytesMax` bytes
 */
export function checkSizes(
  events: readonly IncomingEvent[],
  rows: readonly NewRow[],
  bytesMax: number,
): number {
  let most = rows.length * recordFixedBytes;
  const refused: RefusedEvent[] = [];
  for (const row of rows) {
    const rowMost = sumOver(row, jsonBytesMax, quotedBytesMax);
    most += rowMost;
    if (rowMost <= bytesMax) continue;
    const bytes = sumOver(row, jsonByteLength);
    if (bytes <= bytesMax) continue;
    const index = events.findLastIndex(
      (event) => event.id === row.id || idInTrace(event) === row.id,
    );
    const event = events[index];
    if (event === undefined) continue;
    const merged = event.isMerge ? ' after the merge' : '';
    const reason = `: the event ${abbreviated(JSON.stringify(row.id))} has ${inMb(bytes)} MB${merged}, the limit is ${inMb(bytesMax)} MB`;
    refused.push({ event, index, reason });
  }
  if (refused.length > 0) throw new RefusedEvents(refused);
  return most;
}

/**
 * Measures the rows, one in each step.
 * @returns their bytes in the log
 * @throws RequestError 413 if they have more than `bytesMax` bytes in the log
 */
export function* checkRequestSize(
  rows: readonly NewRow[],
  bytesMax: number,
): Generator<void, number> {
  let bytes = rows.length * recordFixedBytes;
  for (const row of rows) {
    for (const text of textsOf(row)) bytes += text === null ? 0 : jsonByteLength(text);
    if (bytes > bytesMax)
      throw new RequestError(
        413,
        `the events of the request together are larger after their merges than the limit of ${inMb(bytesMax)} MB`,
      );
    yield;
  }
  return bytes;
}

/** A character has at most six bytes in JSON. The rest is for quotes and a comma. */
const quotedBytesMax = (text: string): number => 6 * text.length + 3;

function sumOver(
  row: NewRow,
  size: (text: JsonText) => number,
  sizeInList: (text: string) => number = size,
): number {
  let sum = 0;
  for (const name of textColumns) {
    const value = row[name as keyof NewRow] as JsonText | readonly string[] | null;
    if (Array.isArray(value))
      for (const text of value as readonly string[]) sum += sizeInList(text);
    else if (value !== null) sum += size(value as JsonText);
  }
  return sum;
}

/** Rounded up, so that a size over the limit is never printed as equal to it. */
const inMb = (bytes: number): string => String(Math.ceil((bytes / megabyte) * 100) / 100);
