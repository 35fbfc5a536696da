// The confidence interval of the mean of paired differences (Student's t).
import jStat from 'jstat';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const confidence = 0.95;

/**
 * The two-sided 95 % t interval of a mean of paired differences, mean ± t(0.975, n - 1) * s / sqrt(n): NIST/SEMATECH e-Handbook of
 * Statistical Methods, 7.3.1.1, "Analysis of paired observations". Miller, "Adding Error Bars to Evals", arXiv:2411.00640, section
 * 4.2, recommends pairs for the scores of two models on the same questions.
 * @param stddev the sample standard deviation of the differences
 * @returns null for fewer than two differences
 */
export function tInterval(mean: number, stddev: number | null, count: number): Interval | null {
  if (stddev === null || count < 2) return null;
  const t = jStat.studentt.inv((1 + confidence) / 2, count - 1);
  const reach = (t * stddev) / Math.sqrt(count);
  return { low: mean - reach, high: mean + reach };
}
