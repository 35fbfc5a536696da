// Events that only stored data refuse: all of a request at once, so that the others can be stored without them.
import { RequestError } from '../errors.js';
import type { IncomingEvent } from './incoming.js';

export interface RefusedEvent {
  readonly event: IncomingEvent;
  /** Place of the event in its list. */
  readonly index: number;
  /** What is wrong, to follow the place of the event. */
  readonly reason: string;
}

/** As text it names the first of them. */
export class RefusedEvents extends RequestError {
  constructor(readonly refused: readonly RefusedEvent[]) {
    super(400, `events[${refused[0]?.index ?? 0}]${refused[0]?.reason ?? ''}`);
  }
}
