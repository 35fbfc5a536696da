// `sample`: which rows are picked is left to chance, but how many, and that they are the same ones again, is not.
import * as fc from 'fast-check';
import { Mismatch } from './model/conversation.js';
import { canonical, isObject, type Tagged } from './model/tagged-json.js';
import type { AnswerRow } from './answer.js';
import type { Output, Query, Sample } from './query.js';

const sample: fc.Arbitrary<Sample> = fc.oneof(
  fc.constantFrom<Sample>(...[0, 25, 50, 100].map((amount) => ({ amount, unit: '%' as const }))),
  fc.constantFrom<Sample>(...[0, 1, 3, 10, 1000].map((amount) => ({ amount, unit: '' as const }))),
);

const name = 'sampled';

/** Behind the outputs that the query has: what tells the sampled things apart. */
const identity = ({ shape }: Query): Output => ({
  expression: {
    kind: 'path',
    field: shape === 'traces' || shape === 'summary' ? 'root_span_id' : 'id',
    steps: [],
  },
  alias: name,
  isNamed: true,
});

function sampled(plain: Query, sample: Sample): Query {
  if (plain.kind === 'groups' || plain.unpivot !== null) return plain;
  return { ...plain, sample, limit: null, outputs: [...plain.outputs, identity(plain)] };
}

/** Now and then a query of rows shows some of them. */
export const sometimesSampled = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc
    .tuple(query, fc.nat(9), sample)
    .map(([plain, chance, sample]) => (chance > 0 ? plain : sampled(plain, sample)));

const identityShown = (row: Tagged): string =>
  canonical(isObject(row) ? (row[`s${name}`] ?? null) : null);

const identityOf = ({ outputs }: AnswerRow): string => canonical(outputs.at(-1)?.value ?? null);

/**
 * The rows of the answer to the query without `sample` that belong to those that were shown.
 * @throws Mismatch when the sample has another size than was asked for
 */
export function sampledRows(
  what: string,
  sample: Sample,
  shown: readonly Tagged[],
  all: readonly AnswerRow[],
): readonly AnswerRow[] {
  const picked = new Set(shown.map(identityShown));
  const there = new Set(all.map(identityOf));
  const size = sizeOf(sample, there.size);
  if (size !== null && picked.size !== size)
    throw new Mismatch(`${what}\n  a sample of ${picked.size}, expected ${size}`);
  return all.filter((row) => picked.has(identityOf(row)));
}

/** Null for a share that chance decides. */
function sizeOf({ amount, unit }: Sample, there: number): number | null {
  if (unit === '') return Math.min(amount, there);
  if (amount === 0) return 0;
  return amount === 100 ? there : null;
}
