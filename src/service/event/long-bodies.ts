// Decodes bodies. A body with a text that takes long to parse is decoded in a thread of its own: the event loop serves other
// requests meanwhile.
import { bodyMegabytesMax } from '../../config.js';
import { RequestError, unavailable } from '../../errors.js';
import type { TextLimits } from '../../event/body-text.js';
import { decodeForm, type EventForm } from '../../event/event-forms.js';
import type { IncomingEvent } from '../../event/incoming.js';
import { decodePartsInSteps, eventsOfPart, type ObjectPart } from '../../event/objects-body.js';
import { eventItself, readPosted, type Posted } from '../../event/posted-events.js';
import { eventsOfRow, readRowsInSteps, type ReadRow } from '../../event/read-sdk-rows.js';
import { inSteps } from '../../in-steps.js';
import { LongText } from '../../json/scan.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { eventBytesMax } from '../../store/event-store.js';
import { WorkThread } from '../../work-thread.js';
import type { ReserveMemory, Services } from '../context.js';
import { EventsMemory } from './events-memory.js';
import type { BodyAnswer, LongBody } from './long-bodies-entry.js';
import { eventsOfItem, exportInSteps, type ExportFormat, type ExportItem } from './export-items.js';
import { eventsBytesMax, textBytesMax } from './store-events.js';

export type { EventForm };

export interface EventBody {
  /** Empty once it was moved to the thread. */
  readonly bytes: Buffer;
  readonly reserve: ReserveMemory;
  /** Returns a signal that aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
}

/** The largest text to parse in a turn of the event loop: parsing and printing it takes up to 50 ms. */
const parsedBytesMax = 2 ** 18;

const limitsFor = (services: Services): TextLimits => ({
  textBytesMax: textBytesMax(services),
  parsedBytesMax,
});

const memoryFor = (services: Services, { bytes, reserve }: EventBody): EventsMemory =>
  new EventsMemory({ bodyBytes: bytes.length, bytesMax: eventsBytesMax(services), reserve });

const thread = new WorkThread(new URL('./long-bodies-entry.js', import.meta.url));

/** Returns what is read, and the function that takes each item. Called again if all items have to be read again. */
type Start<Item, T> = () => { readonly read: T; readonly add: (item: Item) => unknown };

/** Reads items that have events, at once if one turn is enough. */
function readItems<Item, T>(
  services: Services,
  body: EventBody,
  items: {
    readonly here: () => Generator<readonly Item[], void>;
    readonly list: LongBody['list'];
    readonly eventsOf: (item: Item) => readonly IncomingEvent[];
  },
  start: Start<Item, T>,
): Promise<T> | T {
  const memory = memoryFor(services, body);
  const all = (steps: Generator<readonly Item[], void>): Promise<T> | T => {
    const { read, add } = start();
    const reading = inSteps(steps, (step) => {
      memory.add(step.flatMap(items.eventsOf), step.length);
      for (const item of step) add(item);
    });
    return reading === undefined ? read : reading.then(() => read);
  };
  return unlessLong(
    memory,
    () => all(items.here()),
    async () => all(readPosted(await inThread(services, body, items.list), items.eventsOf)),
  );
}

/**
 * Decodes the body of an insert into one object, at once if one turn is enough.
 * @throws RequestError 400 for an invalid event, 413 for too large events, 503 without memory for them
 */
export function decodeEvents(
  services: Services,
  kind: EventObjectKind,
  body: EventBody,
  form: EventForm = 'json',
): Promise<readonly IncomingEvent[]> | readonly IncomingEvent[] {
  const here = () => decodeForm[form](kind, body.bytes, limitsFor(services));
  return readItems(services, body, { here, list: { kind, form }, eventsOf: eventItself }, () => {
    const read: IncomingEvent[] = [];
    return { read, add: (event) => read.push(event) };
  });
}

/**
 * Decodes the body of an insert into several objects, at once if one turn is enough.
 * @returns the events of each part
 * @throws RequestError 400 for an invalid event, 413 for too large events, 503 without memory for them
 */
export function decodeParts(
  services: Services,
  parts: readonly ObjectPart[],
  body: EventBody,
): Promise<PartsEvents> | PartsEvents {
  const here = () => decodePartsInSteps(body.bytes, parts, limitsFor(services));
  const list = { isOfObjects: true } as const;
  return readItems(services, body, { here, list, eventsOf: eventsOfPart }, () => {
    const read = parts.map((): IncomingEvent[] => []);
    return { read, add: ({ part, event }) => read[part]!.push(event) };
  });
}

type PartsEvents = readonly (readonly IncomingEvent[])[];

/**
 * Reads a body `{"rows": [...]}`.
 * @throws RequestError 400 for a body that is not JSON, 413 for too large events, 503 without memory for the rows
 */
export function readSdkRows<T>(
  services: Services,
  userId: string,
  body: EventBody,
  start: Start<ReadRow, T>,
): Promise<T> | T {
  const here = () => readRowsInSteps(body.bytes, userId, limitsFor(services));
  return readItems(services, body, { here, list: { userId }, eventsOf: eventsOfRow }, start);
}

/**
 * Reads the spans of an export.
 * @throws RequestError 400 for an invalid body, 413 for too large events, resources or scopes, 503 without memory for the events
 */
export function readExport<T>(
  services: Services,
  format: ExportFormat,
  body: EventBody,
  start: Start<ExportItem, T>,
): Promise<T> | T {
  const { config } = services;
  const limits = {
    textBytesMax: textBytesMax(services),
    eventBytesMax: eventBytesMax(config.writerMemoryMb, config.maintenanceMemoryMb),
    originMegabytesMax: bodyMegabytesMax(config),
  };
  const here = () => exportInSteps(body.bytes, format, { ...limits, parsedBytesMax });
  const list = { format, limits };
  return readItems(services, body, { here, list, eventsOf: eventsOfItem }, start);
}

/** Whether a stored record takes too long to parse in a turn of the event loop. */
export const isLongRecord = (text: string): boolean => Buffer.byteLength(text) > parsedBytesMax;

/**
 * Decodes the text of a long record in the thread.
 * @throws RequestError 503 without memory for it
 */
export async function readLongRecord(
  services: Services,
  text: string,
  signal: AbortSignal,
): Promise<IncomingEvent> {
  const body = { bytes: Buffer.from(text), signal: () => signal };
  const posted = await inThread(services, body, { isRecord: true });
  return [...readPosted(posted, eventItself)].flat()[0]!;
}

/** Runs `elsewhere`, which reads all events again, if `here` finds a text that is too long to parse here. */
function unlessLong<T>(
  memory: EventsMemory,
  here: () => Promise<T> | T,
  elsewhere: () => Promise<T>,
): Promise<T> | T {
  const handle = (error: unknown): Promise<T> => {
    if (!(error instanceof LongText)) throw error;
    memory.restart();
    return elsewhere();
  };
  try {
    const result = here();
    return result instanceof Promise ? result.catch(handle) : result;
  } catch (error) {
    return handle(error);
  }
}

/** Short bodies may share their memory with others. */
const ofItsOwn = (bytes: Buffer): Uint8Array =>
  bytes.length > parsedBytesMax ? bytes : new Uint8Array(bytes);

async function inThread(
  services: Services,
  body: Pick<EventBody, 'bytes' | 'signal'>,
  list: LongBody['list'],
): Promise<Posted> {
  const bytes = ofItsOwn(body.bytes);
  const argument: LongBody = {
    bytes,
    textBytesMax: textBytesMax(services),
    eventsBytesMax: eventsBytesMax(services),
    list,
  };
  const work = { argument, moved: [bytes.buffer as ArrayBuffer], signal: body.signal() };
  const answer = (await thread.run(work).catch((error: unknown) => {
    throw isOutOfMemory(error) ? tooLittleMemory(error) : error;
  })) as BodyAnswer;
  if (!('refusal' in answer)) return answer;
  throw new RequestError(answer.refusal.status, answer.refusal.message);
}

const isOutOfMemory = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooLittleMemory = (cause: unknown): RequestError =>
  unavailable('decoding the events takes more memory than there is, nothing was stored', cause);
