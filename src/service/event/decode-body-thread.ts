// The entry of the thread that decodes bodies.
import { parentPort } from 'node:worker_threads';
import { RequestError } from '../../errors.js';
import { transferEvents, type TransferredEvents } from '../../event/transferred-events.js';
import {
  itemReaders,
  type BodyItem,
  type BodyLimits,
  type BodyList,
  type ListKind,
} from './body-lists.js';
import { EventsMemory } from './events-memory.js';

export interface BodyToDecode<K extends ListKind = ListKind> {
  readonly bytes: Uint8Array;
  readonly list: BodyList<K>;
  /** `decodedBytesMax` is the largest size of the JSON of all events. */
  readonly limits: BodyLimits;
  /** The number of items that the other thread has decoded already. */
  readonly skipped: number;
}

export type BodyAnswer =
  TransferredEvents | { readonly refusal: Pick<RequestError, 'status' | 'message'> };

const port = parentPort!;

/** Reserves no memory: the other thread does so when it gets the events. */
const memoryFor = ({ bytes, limits }: BodyToDecode): EventsMemory =>
  new EventsMemory({
    bodyBytes: bytes.length,
    bytesMax: limits.decodedBytesMax,
    reserve: () => {},
  });

function decoded<K extends ListKind>(body: BodyToDecode<K>): TransferredEvents {
  const { bytes, list, limits, skipped } = body;
  const { read, eventsOf } = itemReaders[list.of];
  const memory = memoryFor(body);
  const all: BodyItem<K>[] = [];
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const items of read(buffer, list, limits)) {
    memory.add(items.flatMap(eventsOf));
    for (const item of items) all.push(item);
  }
  return transferEvents(all.slice(skipped), eventsOf);
}

function answer(body: BodyToDecode): BodyAnswer {
  try {
    return decoded(body);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { refusal: { status: error.status, message: error.message } };
  }
}

port.on('message', (body: BodyToDecode) => {
  const answered = answer(body);
  port.postMessage(answered, 'json' in answered ? [answered.json.buffer as ArrayBuffer] : []);
});
