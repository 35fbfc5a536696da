// Outcomes of a run -> how Evalstore stands to each of the others.
import { geometricMean } from '../measure.js';
import { analyticQuestions } from '../questions/analytic.js';
import type { Results } from '../results.js';

/** Below this, the fixed cost of a request over HTTP says more than a ratio does. */
const shortMs = 20;
const allowanceMs = 5;

export const medianOf = (results: Results, contender: string, question: string): number | null =>
  results.outcomes.find(
    (outcome) => outcome.contender === contender && outcome.question === question,
  )?.median ?? null;

/** Evalstore's time as a multiple of the other's; null when one of them has none. */
export function ratioTo(results: Results, contender: string, question: string): number | null {
  const [own, other] = [
    medianOf(results, 'evalstore', question),
    medianOf(results, contender, question),
  ];
  return own === null || other === null ? null : own / other;
}

export const analyticRatios = (results: Results, contender: string): readonly number[] =>
  analyticQuestions
    .map(({ name }) => ratioTo(results, contender, name))
    .filter((ratio) => ratio !== null);

export const meanRatio = (results: Results, contender: string): number | null => {
  const ratios = analyticRatios(results, contender);
  return ratios.length === 0 ? null : geometricMean(ratios);
};

/** A short question within its allowance counts as equal to the limit. */
export function limitRatio(results: Results, question: string): number | null {
  const [own, limit] = [
    medianOf(results, 'evalstore', question),
    medianOf(results, 'limit', question),
  ];
  if (own === null || limit === null) return null;
  return limit < shortMs && own <= limit + allowanceMs ? Math.min(1, own / limit) : own / limit;
}
