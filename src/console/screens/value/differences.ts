// The difference of two texts by words, or by lines for long texts. This module is also the program of the worker that computes it.
import { diffLines, diffWordsWithSpace, type Change } from 'diff';

/** Texts above this length are compared line by line. */
const wordsMax = 20_000;
/** Texts above this length are shown side by side. */
const linesMax = 400_000;
/** The time limit of a comparison in milliseconds. */
const timeout = 300;

export type Texts = readonly [before: string, after: string];

/** Null if the texts are too long, or too different for the time limit. */
export type Differences = readonly Change[] | null;

function differences([before, after]: Texts): Differences {
  const length = before.length + after.length;
  if (length > linesMax) return null;
  const changes =
    length > wordsMax
      ? diffLines(before, after, { timeout })
      : diffWordsWithSpace(before, after, { timeout });
  return changes ?? null;
}

export const program = import.meta.url;

const isWorker = typeof window === 'undefined';

if (isWorker)
  self.addEventListener('message', ({ data }: MessageEvent<Texts>) =>
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is of windows, not of workers
    self.postMessage(differences(data)),
  );
