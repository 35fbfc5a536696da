// Events as bytes that a thread passes to another one. The JSON is in one buffer, which is moved without a copy, and the rest is
// read in parts, since each takes a turn of the event loop.
import { deserialize, serialize } from 'node:v8';
import { jsonByteLength, writeJsonText, type JsonBytes, type JsonText } from '../json/json-text.js';
import type { JsonColumn } from '../schema/event-columns.js';
import type { IncomingEvent } from './incoming.js';

export interface TransferredEvents {
  /** Parts of the items, in which the JSON of events lacks its bytes. */
  readonly parts: readonly Uint8Array[];
  /** The JSON of all events. */
  readonly json: Uint8Array;
}

/** The number of items of a part, which takes about a millisecond to read. */
const partItems = 500;

type EventsOf<T> = (item: T) => readonly IncomingEvent[];

/** For items that are events. */
export const oneEvent: EventsOf<IncomingEvent> = (event) => [event];

/** Moves the JSON of the events to one buffer, and leaves its ranges in the events. */
export function transferEvents<T>(items: readonly T[], eventsOf: EventsOf<T>): TransferredEvents {
  const texts = items.flatMap((item) => eventsOf(item).flatMap(textsOf));
  const json = Buffer.allocUnsafeSlow(
    texts.reduce((sum, [, , text]) => sum + jsonByteLength(text), 0),
  );
  let start = 0;
  for (const [columns, name, text] of texts) {
    const end = start + writeJsonText(text, json, start);
    columns[name] = { start, end } as JsonText;
    start = end;
  }
  const parts: Uint8Array[] = [];
  for (let first = 0; first < items.length; first += partItems)
    parts.push(serialize(items.slice(first, first + partItems)));
  return { parts, json };
}

/** The items that were posted, a part in each step. */
export function* readTransferred<T>(
  { parts, json }: TransferredEvents,
  eventsOf: EventsOf<T>,
): Generator<readonly T[], void> {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  for (const part of parts) {
    const items = deserialize(part) as readonly T[];
    for (const event of items.flatMap(eventsOf))
      for (const [columns, name, text] of textsOf(event))
        columns[name] = withBytes(text as JsonBytes, bytes);
    yield items;
  }
}

const withBytes = ({ start, end }: JsonBytes, bytes: Buffer): JsonBytes => ({ bytes, start, end });

type Columns = Partial<Record<JsonColumn, JsonText | null>>;

const textsOf = ({ json }: IncomingEvent): readonly (readonly [Columns, JsonColumn, JsonText])[] =>
  (Object.entries(json) as [JsonColumn, JsonText | null][]).flatMap(([name, text]) =>
    text === null ? [] : [[json, name, text] as const],
  );
