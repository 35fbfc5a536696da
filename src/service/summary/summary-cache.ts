// Caches the numbers of summaries until the rows change.
import { LRUCache } from 'lru-cache';
import type { ExperimentSummary } from '../../schema/summary.js';
import type { EventStore } from '../../store/event-store.js';
import type { Services } from '../context.js';

export type SummaryNumbers = Pick<ExperimentSummary, 'scores' | 'score_stats' | 'metrics'>;

/** The memory of a score or metric without its name. */
const measureBytes = 300;

/** The memory of all cached numbers. */
const bytesMax = 15_000_000;

const caches = new WeakMap<EventStore, LRUCache<string, SummaryNumbers>>();

/** An estimate of the memory of a summary. A name has one or two bytes per character. */
const bytesOf = ({ scores = {}, metrics = {} }: SummaryNumbers): number =>
  [...Object.keys(scores), ...Object.keys(metrics)].reduce(
    (bytes, name) => bytes + measureBytes + 2 * name.length,
    measureBytes,
  );

function numbersOf({ store }: Services): LRUCache<string, SummaryNumbers> {
  const known =
    caches.get(store) ??
    new LRUCache<string, SummaryNumbers>({
      maxSize: bytesMax,
      sizeCalculation: bytesOf,
    });
  caches.set(store, known);
  return known;
}

/**
 * The numbers under the key, or those that `compute` gives, which it caches.
 * @param key changes with the rows; null for a summary that is not cached
 */
export async function cachedNumbers(
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
