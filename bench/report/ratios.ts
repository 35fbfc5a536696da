// Ratios of Evalstore's times to those of other contenders.
import { geometricMean } from '../measure.js';
import type { Results } from '../results.js';

/** Below this time, the fixed cost of an HTTP request dominates a ratio. */
const shortMs = 20;
const allowanceMs = 5;

/** Milliseconds of a question; null if it has no time. */
export type TimeOf = (results: Results, contender: string, question: string) => number | null;

const outcomeOf = ({ outcomes }: Results, contender: string, question: string) =>
  outcomes.find((outcome) => outcome.contender === contender && outcome.question === question);

export const medianOf: TimeOf = (...asked) => outcomeOf(...asked)?.median ?? null;

/** The fastest of all rounds, which is the most reliable figure on a busy machine. */
export const fastestOf: TimeOf = (...asked) => {
  const milliseconds = outcomeOf(...asked)?.milliseconds ?? [];
  return milliseconds.length === 0 ? null : Math.min(...milliseconds);
};

/** Evalstore's time divided by the other's; null if one has no time. */
export function ratioTo(
  results: Results,
  contender: string,
  question: string,
  timeOf: TimeOf = medianOf,
): number | null {
  const [own, other] = [
    timeOf(results, 'evalstore', question),
    timeOf(results, contender, question),
  ];
  return own === null || other === null ? null : own / other;
}

export const analyticNames = ({ questions }: Results): readonly string[] =>
  questions.filter(({ group }) => group === 'analytic').map(({ name }) => name);

/** The geometric mean over the analytic questions with a time; null if there are none. */
export function analyticMean(
  results: Results,
  figure: (question: string) => number | null,
): number | null {
  const values = analyticNames(results)
    .map(figure)
    .filter((value) => value !== null);
  return values.length === 0 ? null : geometricMean(values);
}

export const meanRatio = (
  results: Results,
  contender: string,
  timeOf: TimeOf = medianOf,
): number | null =>
  analyticMean(results, (question) => ratioTo(results, contender, question, timeOf));

/** A short question within its allowance counts as equal to the limit. */
export function limitRatio(results: Results, question: string): number | null {
  const [own, limit] = [
    medianOf(results, 'evalstore', question),
    medianOf(results, 'limit', question),
  ];
  if (own === null || limit === null) return null;
  return limit < shortMs && own <= limit + allowanceMs ? Math.min(1, own / limit) : own / limit;
}
