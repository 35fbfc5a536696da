// The entry of the thread that decodes long bodies.
import { parentPort } from 'node:worker_threads';
import { RequestError } from '../errors.js';
import { decodeInSteps } from '../event/decode.js';
import type { IncomingEvent } from '../event/incoming.js';
import { decodePartsInSteps, objectParts } from '../event/objects-body.js';
import { postedItems, type Posted } from '../event/posted-events.js';
import { eventsOfRow, readRowsInSteps, type ReadRow } from '../event/read-rows.js';
import type { EventObjectKind } from '../schema/event-row.js';

export interface LongBody {
  readonly bytes: Uint8Array;
  /** The largest text of one event. */
  readonly textBytesMax: number;
  /** What it lists: events of this kind, events of several objects, or rows of this user. */
  readonly list:
    | { readonly kind: EventObjectKind }
    | { readonly isOfObjects: true }
    | { readonly userId: string };
}

export type BodyAnswer = Posted | { readonly refusal: Pick<RequestError, 'status' | 'message'> };

/** An event, and the index of the part of the body that has it. */
export interface PartEvent {
  readonly part: number;
  readonly event: IncomingEvent;
}

const port = parentPort!;

function endOf<T>(steps: Generator<unknown, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function decoded({ bytes, textBytesMax, list }: LongBody): Posted {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if ('kind' in list) {
    const events = endOf(decodeInSteps(list.kind, body, { textBytesMax }));
    return postedItems(events, (event) => [event]);
  }
  if ('isOfObjects' in list) {
    const decoding = decodePartsInSteps(body, objectParts(body), { textBytesMax });
    const events = endOf(decoding).flatMap((ofPart, part) =>
      ofPart.map((event): PartEvent => ({ part, event })),
    );
    return postedItems(events, ({ event }) => [event]);
  }
  const rows: ReadRow[] = [];
  for (const slice of readRowsInSteps(body, list.userId, { textBytesMax }))
    for (const row of slice) rows.push(row);
  return postedItems(rows, eventsOfRow);
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
