// The events of a request body of any size, read in one go.
import { decodeInSteps } from '../../src/event/decode.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import type { EventObjectKind } from '../../src/schema/event-row.js';

export function decodeEvents(kind: EventObjectKind, body: string): readonly IncomingEvent[] {
  const steps = decodeInSteps(kind, Buffer.from(body), { textBytesMax: Infinity });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
