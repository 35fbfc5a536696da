// The days of the activity of projects.

/** The local midnights that begin the last days, the present one last. */
export const dayStarts = (days: number, now: Date): readonly number[] =>
  Array.from({ length: days }, (_, index) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1 - index)).getTime(),
  );
