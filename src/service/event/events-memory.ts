// The memory of the events of a request. Their JSON can be longer than the body: `\u0001` takes six bytes, a byte of protobuf one.
import { RequestError } from '../../errors.js';
import { textBytesOf, type IncomingEvent } from '../../event/incoming.js';
import type { ReserveMemory } from '../context.js';

/** The memory of a parsed event in bytes, without its text. */
const eventBytes = 1024;

const megabyte = 2 ** 20;

/** A frame of the log, which holds all events of a request, has less than 2 GiB. The rest is for rows that the events build on. */
export const frameEventsBytesMax = 1.5 * 2 ** 30;

interface Limits {
  /** The size of the body, which is reserved already. */
  readonly bodyBytes: number;
  /** The largest size of the texts of all events. */
  readonly bytesMax: number;
  readonly reserve: ReserveMemory;
  /** The events, for the error. */
  readonly what?: string;
}

export class EventsMemory {
  readonly #limits: Limits;
  #textBytes = 0;
  #itemBytes = 0;
  #reserved = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * @param items the number of events, or of the rows that they come from
   * @throws RequestError 413 for too large events, 503 without memory for them
   */
  add(events: readonly IncomingEvent[], items = events.length): void {
    const { bodyBytes, bytesMax, reserve } = this.#limits;
    for (const event of events) this.#textBytes += textBytesOf(event);
    if (this.#textBytes > bytesMax) throw tooLarge(this.#limits);
    this.#itemBytes += items * eventBytes;
    const bytes = this.#itemBytes + Math.max(0, this.#textBytes - bodyBytes);
    if (bytes <= this.#reserved) return;
    reserve(bytes - this.#reserved);
    this.#reserved = bytes;
  }

  /** Counts from the beginning, in the memory that is reserved. */
  restart(): void {
    this.#textBytes = 0;
    this.#itemBytes = 0;
  }
}

const tooLarge = ({ bytesMax, what = 'the events of the request' }: Limits): RequestError =>
  new RequestError(
    413,
    `${what} together are larger as JSON than the limit of ${Math.floor(bytesMax / megabyte)} MB`,
  );
