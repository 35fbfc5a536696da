// Outcomes of a run -> how Evalstore stands to each of the others.
import { geometricMean } from '../measure.js';
import type { Results } from '../results.js';

/** Below this, the fixed cost of a request over HTTP says more than a ratio does. */
const shortMs = 20;
const allowanceMs = 5;

/** Milliseconds of a question; null when there are none. */
export type TimeOf = (results: Results, contender: string, question: string) => number | null;

const outcomeOf = ({ outcomes }: Results, contender: string, question: string) =>
  outcomes.find((outcome) => outcome.contender === contender && outcome.question === question);

export const medianOf: TimeOf = (...asked) => outcomeOf(...asked)?.median ?? null;

/** Of all rounds: what a machine that others use says least wrongly. */
export const fastestOf: TimeOf = (...asked) => {
  const milliseconds = outcomeOf(...asked)?.milliseconds ?? [];
  return milliseconds.length === 0 ? null : Math.min(...milliseconds);
};

/** Evalstore's time as a multiple of the other's; null when one of them has none. */
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

/** Of what is known of the analytic questions; null when nothing is. */
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
