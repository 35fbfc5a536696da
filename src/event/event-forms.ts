// The forms in which an insert into one object takes events.
import type { EventObjectKind } from '../schema/event-row.js';
import type { TextLimits } from './body-text.js';
import { decodeInSteps } from './decode.js';
import { decodeLinesInSteps } from './event-lines.js';
import type { IncomingEvent } from './incoming.js';

/** The text `{"events": [...]}`, or JSON Lines with an event on each. */
export type EventForm = 'json' | 'lines';

type Decode = (
  kind: EventObjectKind,
  body: Buffer,
  textLimits: TextLimits,
) => Generator<readonly IncomingEvent[], void>;

/** @throws RequestError 400, LongText */
export const decodeForm: Readonly<Record<EventForm, Decode>> = {
  json: decodeInSteps,
  lines: decodeLinesInSteps,
};
