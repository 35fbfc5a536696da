// The entry of the thread that decodes long bodies.
import { parentPort } from 'node:worker_threads';
import { RequestError } from '../../errors.js';
import { readRecord } from '../../event/decode.js';
import { decodeForm, type EventForm } from '../../event/event-forms.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { decodePartsInSteps, eventsOfPart, objectParts } from '../../event/objects-body.js';
import { eventItself, postedItems, type Posted } from '../../event/posted-events.js';
import { eventsOfRow, readRowsInSteps } from '../../event/read-sdk-rows.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { EventsMemory } from './events-memory.js';
import {
  eventsOfItem,
  exportInSteps,
  type ExportFormat,
  type ExportLimits,
} from './export-items.js';

export interface LongBody {
  readonly bytes: Uint8Array;
  /** The largest text of one event. */
  readonly textBytesMax: number;
  /** The largest size of the JSON of all events. */
  readonly eventsBytesMax: number;
  /** What it lists: events of this kind, events of several objects, rows of this user, or spans of an export. Or it is a record. */
  readonly list:
    | { readonly kind: EventObjectKind; readonly form: EventForm }
    | { readonly isOfObjects: true }
    | { readonly isRecord: true }
    | { readonly userId: string }
    | { readonly format: ExportFormat; readonly limits: ExportLimits };
}

export type BodyAnswer = Posted | { readonly refusal: Pick<RequestError, 'status' | 'message'> };

const port = parentPort!;

/** Reserves no memory: the other thread does so when it gets the events. */
const memoryFor = ({ bytes, eventsBytesMax }: LongBody): EventsMemory =>
  new EventsMemory({ bodyBytes: bytes.length, bytesMax: eventsBytesMax, reserve: () => {} });

function decoded(long: LongBody): Posted {
  const { bytes, textBytesMax, eventsBytesMax, list } = long;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if ('isRecord' in list) return postedItems([readRecord(body.toString())], eventItself);
  const memory = memoryFor(long);
  if ('kind' in list)
    return allItems(
      decodeForm[list.form](list.kind, body, { textBytesMax, decodedBytesMax: eventsBytesMax }),
      eventItself,
      memory,
    );
  if ('isOfObjects' in list) {
    const steps = decodePartsInSteps(body, objectParts(body), { textBytesMax });
    return allItems(steps, eventsOfPart, memory);
  }
  return 'format' in list
    ? allItems(exportInSteps(body, list.format, list.limits), eventsOfItem, memory)
    : allItems(readRowsInSteps(body, list.userId, { textBytesMax }), eventsOfRow, memory);
}

function allItems<Item>(
  steps: Generator<readonly Item[], void>,
  eventsOf: (item: Item) => readonly IncomingEvent[],
  memory: EventsMemory,
): Posted {
  const items: Item[] = [];
  for (const step of steps) {
    memory.add(step.flatMap(eventsOf));
    for (const item of step) items.push(item);
  }
  return postedItems(items, eventsOf);
}

function answer(body: LongBody): BodyAnswer {
  try {
    return decoded(body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { refusal: { status: error.status, message: error.message } };
  }
}

port.on('message', (body: LongBody) => {
  const answered = answer(body);
  port.postMessage(answered, 'json' in answered ? [answered.json.buffer as ArrayBuffer] : []);
});
