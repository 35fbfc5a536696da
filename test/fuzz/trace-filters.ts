// `trace_filter` and `span_filter`: which traces stay by what they are as a whole, and which of their rows are shown.
import * as fc from 'fast-check';
import { condition } from './arbitrary-expression.js';
import { traceOf, type Field } from './candidate.js';
import type { Expr } from './expression.js';
import type { Query } from './query.js';
import { summariesOf } from './summary.js';

const filtered = (plain: Query, traceFilter: Expr | null, spanFilter: Expr | null): Query => ({
  ...plain,
  traceFilter: plain.shape === 'traces' || plain.shape === 'summary' ? traceFilter : null,
  spanFilter: plain.shape === 'traces' ? spanFilter : null,
});

/** Half of the queries of traces have such filters. */
export const sometimesFiltered = (query: fc.Arbitrary<Query>): fc.Arbitrary<Query> =>
  fc
    .tuple(query, fc.option(condition, { freq: 1 }), fc.option(condition, { freq: 1 }))
    .map(([plain, ...filters]) => filtered(plain, ...filters));

/** The rows that are shown of whole traces. */
export function rowsOfTraces(
  { shape, traceFilter, spanFilter }: Query,
  whole: readonly Field[],
  passes: (filter: Expr | null, row: Field) => boolean,
): readonly Field[] {
  const summaries = summariesOf(whole).filter((row) => passes(traceFilter, row));
  if (shape === 'summary') return summaries;
  const traces = new Set(summaries.map(traceOf));
  return whole.filter((row) => traces.has(traceOf(row)) && passes(spanFilter, row));
}
