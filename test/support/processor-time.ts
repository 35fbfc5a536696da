// Compares the processor time of two pieces of work. Other processes do not add to it; garbage collection and compilation
// fall on either of the two by chance, so that one comparison of several has to hold.
import { expect } from 'chai';

const attempts = 8;

/** A shorter time of the base is mostly that of the runtime. */
const floorMicros = 2000;

/** How many times as large the larger of two inputs is. */
export const sizeRatio = 8;

function micros(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Fails unless `work` takes at most `ratioMax` times as long as `base`. */
export function expectTime(
  name: string,
  work: () => unknown,
  base: () => unknown,
  ratioMax: number,
) {
  const comparisons: string[] = [];
  const isWithin = (): boolean => {
    const time = micros(work);
    if (time <= ratioMax * floorMicros) return true;
    const max = ratioMax * micros(base);
    comparisons.push(`${time} of at most ${max} µs`);
    return time <= max;
  };
  expect(
    Array.from({ length: attempts }).some(isWithin),
    `${name}: ${comparisons.join(', ')}`,
  ).to.equal(true);
}

/**
 * Fails unless `large`, whose input is `sizeRatio` times that of `small`, takes about as long as `sizeRatio` runs of `small`.
 * Quadratic growth takes `sizeRatio` times as long; half of that fails.
 */
export const expectLinear = (name: string, large: () => unknown, small: () => unknown) =>
  expectTime(
    name,
    large,
    () => {
      for (let run = 0; run < sizeRatio; run += 1) small();
    },
    sizeRatio / 2,
  );
