// The bars of a histogram over time.

/** Units of time with their lengths in milliseconds, shortest first; those of months and years are averages. */
const buckets = [
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 604_800_000],
  ['month', 2_629_800_000],
  ['year', 31_557_600_000],
] as const;

export type Bucket = (typeof buckets)[number];

const bucketsMax = 120;

/** The shortest unit that does not give too many bars. */
export const bucketFor = (first: number, last: number): Bucket =>
  buckets.find(([, length]) => (last - first) / length <= bucketsMax) ?? buckets[6];

/** The number of months in the units that have no fixed length. */
const monthsIn: ReadonlyMap<Bucket[0], number> = new Map([
  ['month', 1],
  ['year', 12],
]);

/**
 * The start of a later bar of the histogram.
 * @param first the start of the first bar, in milliseconds since 1970
 * @param offset minutes west of UTC, where the bars begin at midnight
 */
export function barStart(
  [unit, length]: Bucket,
  first: number,
  place: number,
  offset: number,
): number {
  const months = monthsIn.get(unit);
  if (months === undefined) return first + place * length;
  const local = new Date(first - offset * 60_000);
  return local.setUTCMonth(local.getUTCMonth() + place * months) + offset * 60_000;
}
