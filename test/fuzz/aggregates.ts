// The aggregates of the language over the values of a group.
import { canonical, doubleOf, number, type Tagged } from './model/tagged-json.js';
import { kindOf, type Kind } from './evaluate.js';
import type { Expr } from './expression.js';
import { known, orderOf } from './operators.js';
import { asJson } from './timestamps.js';

/** Sums of doubles depend on the order of adding: how far a result may be off. */
export interface Aggregated {
  readonly value: Tagged;
  readonly tolerance: number;
  /** Set when any of these is right. */
  readonly anyOf?: readonly Tagged[];
}

export const exactly = (value: Tagged): Aggregated => ({ value, tolerance: 0 });

/** Relative to the size of what is added. */
const precision = 1e-12;

export function aggregate(
  name: string,
  values: readonly Tagged[],
  fraction: Expr | undefined,
  observe: (op: string, kind: Kind) => void,
): Aggregated {
  for (const kind of new Set(values.map(kindOf))) observe(name, kind);
  const present = values.filter((value) => value !== null);
  const sorted = () => present.toSorted(orderOf);
  switch (name) {
    case 'count':
      return exactly(number(present.length));
    case 'count_distinct':
      return exactly(number(new Set(present.map((value) => canonical(asJson(value)))).size));
    case 'min':
      return exactly(sorted()[0] ?? null);
    case 'max':
      return exactly(sorted().at(-1) ?? null);
    case 'any_value':
      return { ...exactly(present[0] ?? null), anyOf: present };
    case 'percentile':
      return percentile(present, constantOf(fraction));
    case 'sum':
    case 'avg':
      return total(name, present);
    case 'stddev':
      return deviation(present);
    default:
      throw new Error(`unknown aggregate ${name}`);
  }
}

const constantOf = (fraction: Expr | undefined): number =>
  fraction?.kind === 'literal' ? Number(fraction.json) : 0;

const measuresOf = (values: readonly Tagged[]): readonly number[] =>
  values
    .map((value) => (typeof value === 'boolean' ? Number(value) : doubleOf(value)))
    .filter((value) => value !== null);

function total(name: 'sum' | 'avg', values: readonly Tagged[]): Aggregated {
  const numbers = measuresOf(values);
  if (numbers.length === 0) return exactly(null);
  const divisor = name === 'avg' ? numbers.length : 1;
  const sum = numbers.reduce((left, right) => left + right, 0);
  const size = numbers.reduce((left, right) => left + Math.abs(right), 0);
  const result = known(number(sum / divisor));
  if (!Number.isFinite(sum)) return exactly(null);
  return { value: result, tolerance: (precision * size) / divisor };
}

/** The mean first and then the differences from it, in fractions of the greatest number so that no square overflows. */
function deviation(values: readonly Tagged[]): Aggregated {
  const numbers = measuresOf(values);
  const greatest = Math.max(...numbers.map(Math.abs));
  if (numbers.length < 2 || greatest >= 1e100) return exactly(null);
  if (numbers.every((each) => each === numbers[0])) return exactly(number(0));
  const parts = numbers.map((each) => each / greatest);
  const mean = parts.reduce((left, right) => left + right, 0) / parts.length;
  const squares = parts.reduce((sum, part) => sum + (part - mean) ** 2, 0);
  const value = greatest * Math.sqrt(squares / (parts.length - 1));
  return { value: number(value), tolerance: precision * greatest };
}

function percentile(values: readonly Tagged[], fraction: number): Aggregated {
  const numbers = values
    .map(doubleOf)
    .filter((value) => value !== null)
    .toSorted((left, right) => left - right);
  const place = fraction * (numbers.length - 1);
  const [below, above] = [numbers[Math.floor(place)], numbers[Math.ceil(place)]];
  if (below === undefined || above === undefined) return exactly(null);
  const value = below + (above - below) * (place - Math.floor(place));
  return { value: number(value), tolerance: precision * (Math.abs(below) + Math.abs(above)) };
}
