// Keeps the computed numbers of summaries while the rows are unchanged.
import { LRUCache } from 'lru-cache';
import type { ExperimentSummary } from '../../schema/summary.js';
import type { EventStore } from '../../store/event-store.js';
import type { Services } from '../context.js';

export type SummaryNumbers = Pick<ExperimentSummary, 'scores' | 'metrics'>;

/** The number of scores and metrics that are kept, about 300 bytes each. */
const measuresMax = 50_000;

const kept = new WeakMap<EventStore, LRUCache<string, SummaryNumbers>>();

const measuresOf = ({ scores = {}, metrics = {} }: SummaryNumbers): number =>
  Object.keys(scores).length + Object.keys(metrics).length;

function numbersOf({ store }: Services): LRUCache<string, SummaryNumbers> {
  const known =
    kept.get(store) ??
    new LRUCache<string, SummaryNumbers>({
      maxSize: measuresMax,
      sizeCalculation: (numbers) => 1 + measuresOf(numbers),
    });
  kept.set(store, known);
  return known;
}

/**
 * The numbers under the key, or those that `compute` gives, which are kept.
 * @param key changes with the rows; null for a summary that is not kept
 */
export async function keptNumbers(
  services: Services,
  key: string | null,
  compute: () => Promise<SummaryNumbers>,
): Promise<SummaryNumbers> {
  const known = key === null ? undefined : numbersOf(services).get(key);
  if (known !== undefined) return known;
  const computed = await compute();
  if (key !== null) numbersOf(services).set(key, computed);
  return computed;
}
