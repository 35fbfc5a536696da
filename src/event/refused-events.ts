// The error for events that conflict with stored data or name too many attachments. It lists all refused events of a request, so that
// the others can be stored without them.
import { RequestError } from '../errors.js';
import { placedPath, type IncomingEvent } from './incoming.js';

export interface RefusedEvent {
  readonly event: IncomingEvent;
  /** The index of the event in its list. */
  readonly index: number;
  /** The reason, which follows the path of the event in the message. */
  readonly reason: string;
}

/** The message names the first of them. */
export class RefusedEvents extends RequestError {
  constructor(readonly refused: readonly RefusedEvent[]) {
    super(400, refused[0] === undefined ? '' : `${pathOf(refused[0])}${refused[0].reason}`);
  }
}

const pathOf = ({ event, index }: RefusedEvent): string =>
  event.place === undefined ? `events[${index}]` : placedPath(event.place);
