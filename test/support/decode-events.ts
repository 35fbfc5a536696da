// The events of a request body of any size, read in one go.
import { decodeInSteps } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import type { EventObjectKind } from '../../src/schema/event-row.js';

export const decodeEvents = (kind: EventObjectKind, body: string): readonly IncomingEvent[] =>
  [...decodeInSteps(kind, Buffer.from(body), { textBytesMax: Infinity })].flat();
