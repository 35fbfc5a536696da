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

/** The units that begin at a local midnight, in days and months. */
const calendar: ReadonlyMap<Bucket[0], { readonly days?: number; readonly months?: number }> =
  new Map([
    ['day', { days: 1 }],
    ['week', { days: 7 }],
    ['month', { months: 1 }],
    ['year', { months: 12 }],
  ]);

export const beginsAtMidnight = ([unit]: Bucket): boolean => calendar.has(unit);

/**
 * The start of a later bar of the histogram, in the time zone of the browser.
 * @param first the start of the first bar, in milliseconds since 1970
 */
export function barStart([unit, length]: Bucket, first: number, place: number): number {
  const step = calendar.get(unit);
  if (step === undefined) return first + place * length;
  const { days = 0, months = 0 } = step;
  const at = new Date(first);
  return new Date(
    at.getFullYear(),
    at.getMonth() + place * months,
    at.getDate() + place * days,
  ).getTime();
}
