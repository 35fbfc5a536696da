// A seed -> the random draws that the generator of events is made of.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface Draw {
  /** 32 random bits, as an integer from 0. */
  readonly bits: () => number;
  /** From 0 to below 1. */
  readonly uniform: () => number;
  /** Both bounds included. */
  readonly integer: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  /** The first items are picked more often: the first of four in half of the draws. */
  readonly pickSkewed: <T>(items: readonly T[]) => T;
  /** As many values lie between 1 and 10 as between 10 and 100. */
  readonly logUniform: (from: number, to: number) => number;
  readonly hex: (digits: number) => string;
}

const at = <T>(items: readonly T[], index: number): T => items[index] as T;

export function drawFrom(seed: number): Draw {
  const source = xoroshiro128plus(seed);
  const bits = () => source.next() >>> 0;
  const uniform = () => uniformFloat64(source);
  return {
    bits,
    uniform,
    integer: (from, to) => from + Math.floor(uniform() * (to - from + 1)),
    chance: (probability) => uniform() < probability,
    pick: (items) => at(items, Math.floor(uniform() * items.length)),
    pickSkewed: (items) => at(items, Math.floor(uniform() ** 2 * items.length)),
    logUniform: (from, to) => from * (to / from) ** uniform(),
    hex: (digits) => {
      let text = '';
      while (text.length < digits) text += bits().toString(16).padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}
