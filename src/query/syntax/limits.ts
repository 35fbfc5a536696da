// The size limits of queries. At its maximum, no step from text to SQL takes much more than 0.2 s of processor time, during
// which nothing else is served. Each step is about linear in the size of the query.
import { QueryError } from '../../errors.js';
import type { Position, QueryAst } from './ast.js';
import { expressionsOf, partsOf } from './walk.js';

export const limits = {
  /** Of the text of a query. */
  characters: 1_000_000,
  /** Words, numbers, strings and signs of a query. */
  tokens: 40_000,
  /** Expressions that are text inside a query that is JSON; together they have as many tokens as one text. */
  texts: 100,
  /** Deeper nesting would overflow the stack of the parser, and the engine refuses it as well. */
  nesting: 100,
  /** What the engine needs to plan a call grows with the square of the calls around it. */
  nestedCalls: 30,
  /** With twice as many the engine plans three times as long: some seconds for the largest ones. */
  calls: 500,
  operators: 5_000,
  /** The engine refuses expressions that nest deeper than 1000 levels. */
  operatorsInARow: 500,
  /** Of everything in an expression, including operators in a row: what walks it deeper would exhaust the stack. */
  depth: 1_000,
  /** Of `select`, or of `dimensions` and `measures` together, also those that `pivot` makes. */
  columns: 1_000,
  /** Each is up to three keys for the engine. */
  sortKeys: 100,
  /** Each reads the rows of the one before it. */
  unpivots: 10,
  /** Of a list behind `in`. */
  listElements: 10_000,
  pathSteps: 100,
  /** Paths behind `infer`: each is compared with all others. */
  inferItems: 100,
  /** Rows that `infer` looks at: the first ones of a query with so small a limit are found without reading all. */
  inferredRows: 1_000,
  /** Paths that `infer` shows where the query has no limit. */
  inferredPaths: 1_000,
  /** Values of the last dimension of which `pivot` makes columns. */
  pivotValues: 500,
  /** Characters of a pattern of `like`, `ilike` or `match`. Longer ones are refused; from a row: NULL. */
  patternLength: 10_000,
} as const;

/** @throws QueryError at the first one of `items` that is too many */
export function checkCount(
  items: readonly { readonly at: Position }[],
  maximum: number,
  what: string,
): void {
  const excess = items[maximum];
  if (excess === undefined) return;
  throw new QueryError(excess.at, `more than ${maximum} ${what}: request fewer at a time`);
}

/** @throws QueryError */
export function checkCounts(ast: QueryAst): void {
  const { select, infer, dimensions, measures, groupBy, sort, unpivot } = ast;
  checkCount(infer ?? [], limits.inferItems, "paths after 'infer'");
  checkCount(select ?? [...dimensions, ...measures], limits.columns, 'columns');
  checkCount(groupBy ?? [], limits.columns, 'keys of GROUP BY');
  checkCount(sort, limits.sortKeys, 'sort keys');
  checkCount(unpivot, limits.unpivots, "parts of 'unpivot'");
  checkDepth(ast);
}

/** Level by level: the depth is not bounded yet. An operand of `<=>` is computed once for two uses, as an argument is. */
function checkDepth(ast: QueryAst): void {
  let level = expressionsOf(ast).map((expression) => ({ expression, around: 0 }));
  for (let depth = 1; level.length > 0; depth++) {
    const [first] = level;
    if (first !== undefined && depth > limits.depth)
      throw new QueryError(
        first.expression.at,
        `the expression is nested deeper than ${limits.depth} levels, including operators in a row`,
      );
    level = level.flatMap(({ expression, around }) => {
      const isSame = expression.kind === 'binary' && expression.operator === '<=>';
      const within = around + Number(isSame);
      if (within > limits.nestedCalls)
        throw new QueryError(
          expression.at,
          `'<=>' is nested deeper than ${limits.nestedCalls} levels, including several in a row`,
        );
      return partsOf(expression).map((part) => ({ expression: part, around: within }));
    });
  }
}
