// The days of the activity of projects.

const dayMs = 86_400_000;

/**
 * The starts of the last days, the present one last. They are those of the server, which cuts all days at the present offset from
 * UTC: before a change of the clocks, they are not midnights.
 */
export function dayStarts(days: number, now: Date): readonly number[] {
  const local = now.getTime() - now.getTimezoneOffset() * 60_000;
  const today = now.getTime() - (local % dayMs);
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs);
}
