// Applies all events of a request at once.
import {
  applyInSteps,
  BasesBudget,
  type AppliedRows,
  type AppliedTo,
} from '../../src/event/apply.js';
import type { IncomingEvent } from '../../src/event/incoming.js';
import type { NewRow } from '../../src/event/row.js';
import type { EventObject } from '../../src/schema/event-row.js';

type More = Pick<AppliedTo, 'newId'> & { readonly basesBytesMax?: number };

/** @param live the stored rows by id */
export function applyAll(
  object: EventObject,
  events: readonly IncomingEvent[],
  live: ReadonlyMap<string, NewRow>,
  now: bigint,
  { basesBytesMax = Infinity, ...rest }: More = {},
): AppliedRows {
  const storedRow = (id: string) => live.get(id);
  const budget = new BasesBudget(basesBytesMax);
  const steps = applyInSteps({ object, storedRow, budget, now, ...rest }, events);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The rows of `applyAll`. */
export const applyEvents = (...parameters: Parameters<typeof applyAll>): readonly NewRow[] =>
  applyAll(...parameters).rows;
