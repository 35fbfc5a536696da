// Times of work, and what is said of many of them.

export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** The value below which that share of the values lies, by linear interpolation. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low = NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export const spread = (values: readonly number[]): Spread => ({
  p50: quantile(values, 0.5),
  p99: quantile(values, 0.99),
  max: quantile(values, 1),
});

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
