// Applies all events of a request at once.
import { applyInSteps, BasesBudget, type AppliedTo } from '../../src/event/apply.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import type { NewRow } from '../../src/event/row.js';
import { traceOfRow } from '../../src/event/span-ids.js';
import type { EventObject } from '../../src/schema/event-row.js';

/** @param live the stored rows by id */
export function applyEvents(
  object: EventObject,
  events: readonly IncomingEvent[],
  live: ReadonlyMap<string, NewRow>,
  now: bigint,
  { basesBytesMax = Infinity, ...rest }: Pick<AppliedTo, 'newId'> & { basesBytesMax?: number } = {},
): readonly NewRow[] {
  const storedRow = (id: string) => live.get(id);
  const storedSpans = {
    isLive: (id: string) => live.has(id),
    *traceOf(id: string) {
      const row = live.get(id);
      return row === undefined ? null : yield* traceOfRow(row);
    },
  };
  const budget = new BasesBudget(basesBytesMax);
  const steps = applyInSteps({ object, storedRow, storedSpans, budget, now, ...rest }, events);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
