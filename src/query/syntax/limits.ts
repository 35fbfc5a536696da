// The size limits of queries. At the limits, parsing takes up to 0.3 s, in a thread, and no later step much more than 50 ms, during
// which the event loop is blocked. Each step takes time about linear in the size of the query.
import { QueryError } from '../../errors.js';
import type { Position } from './ast.js';

export const limits = {
  /** The length of the text of a query. */
  characters: 1_000_000,
  /** Tokens of a query: words, numbers, strings and signs. */
  tokens: 40_000,
  /** Query texts inside a JSON query. The limit on tokens applies to all of them together. */
  texts: 100,
  /** Nesting. Deeper nesting would overflow the stack of the parser, and the engine rejects it. */
  nesting: 100,
  /** Nested calls. The engine's planning time grows with the square of their depth. */
  nestedCalls: 30,
  /** With twice as many, the engine plans three times as long, for the largest queries some seconds. */
  calls: 500,
  /** Arguments of all calls, without constants. The engine plans `least` of 1,000 paths in 2.7 s, and of 5,000 in 98 s. */
  arguments: 1_000,
  operators: 5_000,
  /** Nested operators other than `and`, `or` and `? :`. The engine's planning time grows with the cube of their depth. */
  nestedOperators: 120,
  /** Different paths. The engine's planning time grows with the square of their number. */
  paths: 2_000,
  /** Nodes of the expressions that stand for aliases or, after `pivot`, for columns. */
  repeatedParts: 20_000,
  /** The engine rejects expressions that are nested deeper than 1000 levels. */
  operatorsInARow: 500,
  /** The depth of an expression tree, including chains of operators. Walking a deeper one would overflow the stack. */
  depth: 1_000,
  /** Columns of `select`, or of `dimensions` and `measures` together, including those of `pivot`. */
  columns: 1_000,
  /** Sort keys. Each is up to three keys of the engine. */
  sortKeys: 100,
  sources: 1_000,
  /** Each `unpivot` reads the rows of the one before it. */
  unpivots: 10,
  /** Elements of a list of `in`. */
  listElements: 10_000,
  pathSteps: 100,
  /** Operands of `infer`, each of which is compared with all others. */
  inferItems: 100,
  /** Rows that `infer` reads without `sample`. With so small a limit, the first rows are found without reading all rows. */
  inferredRows: 1_000,
  /** Paths in the answer of `infer`, if the query has no limit. */
  inferredPaths: 1_000,
  /** Values of the last dimension that `pivot` turns into columns. */
  pivotValues: 500,
  /** Characters of a pattern of `like`, `ilike` or `match`. A longer constant is an error; with a longer one from a row: NULL. */
  patternLength: 10_000,
} as const;

/** @throws QueryError at the first of `items` beyond the limit */
export function checkCount(
  items: readonly { readonly at: Position }[],
  maximum: number,
  what: string,
): void {
  const excess = items[maximum];
  if (excess === undefined) return;
  throw new QueryError(excess.at, `more than ${maximum} ${what}: request fewer at a time`);
}
