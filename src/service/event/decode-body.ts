// Decodes bodies: in steps, or in a thread if it takes long to decode a part of the body. The event loop serves other requests
// meanwhile.
import { RequestError, unavailable } from '../../errors.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { readTransferred, type TransferredEvents } from '../../event/transferred-events.js';
import { inSteps } from '../../in-steps.js';
import { TooLongToParse } from '../../json/scan.js';
import { WorkThread } from '../../work-thread.js';
import { clientOf, type Caller, type ReserveMemory, type Services } from '../context.js';
import { itemReaders, type BodyItem, type BodyList, type ListKind } from './body-lists.js';
import type { BodyAnswer, BodyToDecode } from './decode-body-thread.js';
import { EventsMemory } from './events-memory.js';
import { eventsBytesMax, textBytesMax } from './store-events.js';

export interface EventBody {
  /** Empty once it was moved to the thread. */
  readonly bytes: Buffer;
  readonly reserve: ReserveMemory;
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
}

/** The largest text to parse in a turn of the event loop. */
const parsedBytesMax = 2 ** 18;

/** Larger exports are decoded in the thread: a span takes 60 µs, and to take it from the thread 10 µs. */
const exportBytesMax = 2 ** 14;

/** Whether only the thread decodes the body. An event in JSON takes as long to decode as to take from the thread. */
const isForThread = ({ length }: Buffer, list: BodyList): boolean =>
  list.of === 'spans' ? length > exportBytesMax : 'form' in list && list.form === 'parquet';

/**
 * Calls `add` with each item of the list, in order; at once and without a promise if one turn of the event loop is enough.
 * @throws RequestError 400 for an invalid body, 413 for too large events, 503 without memory for them
 */
export function decodeBody<K extends ListKind>(
  services: Services,
  caller: Caller,
  list: BodyList<K>,
  { bytes, reserve, signal }: EventBody,
  add: (item: BodyItem<K>) => unknown,
): Promise<void> | void {
  const { read, eventsOf } = itemReaders[list.of];
  const bytesMax = eventsBytesMax(services);
  const limits = { textBytesMax: textBytesMax(services), decodedBytesMax: bytesMax };
  const memory = new EventsMemory({ bodyBytes: bytes.length, bytesMax, reserve });
  let skipped = 0;
  const seen = (items: readonly BodyItem<K>[]): void => {
    memory.add(items.flatMap(eventsOf), items.length);
    skipped += items.length;
    for (const item of items) add(item);
  };
  const elsewhere = async (): Promise<void> => {
    const posted = await inThread(clientOf(caller), { bytes, list, limits, skipped }, signal());
    await inSteps(readTransferred(posted, eventsOf), seen);
  };
  if (isForThread(bytes, list)) return elsewhere();
  const here = () => inSteps(read(bytes, list, { ...limits, parsedBytesMax }), seen);
  return unlessLong(here, elsewhere);
}

/** Runs `elsewhere` if `here` finds a text that is too long to parse here. */
function unlessLong(
  here: () => Promise<void> | void,
  elsewhere: () => Promise<void>,
): Promise<void> | void {
  const handle = (error: unknown): Promise<void> => {
    if (!(error instanceof TooLongToParse)) throw error;
    return elsewhere();
  };
  try {
    return here()?.catch(handle);
  } catch (error) {
    return handle(error);
  }
}

/** Whether a stored record takes too long to parse in a turn of the event loop. */
export const isLongRecord = (text: string): boolean => Buffer.byteLength(text) > parsedBytesMax;

/**
 * Decodes the text of a long record in the thread.
 * @throws RequestError 503 without memory for it
 */
export async function readLongRecord(
  caller: Caller,
  text: string,
  signal: AbortSignal,
): Promise<IncomingEvent> {
  const limits = { textBytesMax: Infinity, decodedBytesMax: Infinity };
  const list = { of: 'record' } as const;
  const record = { bytes: Buffer.from(text), list, limits, skipped: 0 };
  const posted = await inThread(clientOf(caller), record, signal);
  return [...readTransferred(posted, itemReaders.record.eventsOf)].flat()[0]!;
}

const thread = new WorkThread(new URL('./decode-body-thread.js', import.meta.url));

/** A thread that decoded a larger body ends soon, since it keeps much memory. */
const keptBytesMax = 2 ** 24;
const soonMs = 5000;
/** To start a thread takes 60 ms, for which the next body waits. */
const keptMs = 600_000;

/** Short bodies may share their memory with others. */
const ofItsOwn = (bytes: Buffer): Uint8Array =>
  bytes.length > 2 ** 16 ? bytes : new Uint8Array(bytes);

async function inThread(
  client: string,
  body: BodyToDecode,
  signal: AbortSignal,
): Promise<TransferredEvents> {
  const bytes = ofItsOwn(body.bytes as Buffer);
  const answer = (await thread
    .run({
      client,
      argument: { ...body, bytes },
      moved: [bytes.buffer as ArrayBuffer],
      signal,
      idleMs: bytes.length > keptBytesMax ? soonMs : keptMs,
    })
    .catch((error: unknown) => {
      throw isOutOfMemory(error) ? tooLittleMemory(error) : error;
    })) as BodyAnswer;
  if (!('refusal' in answer)) return answer;
  throw new RequestError(answer.refusal.status, answer.refusal.message);
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooLittleMemory = (cause: unknown): RequestError =>
  unavailable('decoding the events takes more memory than there is, nothing was stored', cause);
