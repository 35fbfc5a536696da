// The size limits of queries. At the limits, no step from text to SQL takes much more than 0.2 s, during which the event loop is
// blocked. Each step takes time about linear in the size of the query.
import { QueryError } from '../../errors.js';
import type { Expr, Position, QueryAst } from './ast.js';
import { expressionsOf, partsOf } from './walk.js';

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
  operators: 5_000,
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
  /** Rows that `infer` reads. With so small a limit, the first rows are found without reading all rows. */
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

/** @throws QueryError */
export function checkCounts(ast: QueryAst): void {
  const { from, select, infer, dimensions, measures, groupBy, sort, unpivot } = ast;
  checkCount(from, limits.sources, 'sources');
  checkCount(infer ?? [], limits.inferItems, "paths after 'infer'");
  checkCount(select ?? [...dimensions, ...measures], limits.columns, 'columns');
  checkCount(groupBy ?? [], limits.columns, 'keys of GROUP BY');
  checkCount(sort, limits.sortKeys, 'sort keys');
  checkCount(unpivot, limits.unpivots, "parts of 'unpivot'");
  checkDepth(ast);
}

/** Operators that bind an operand to a name, like the calls of functions. */
const binding: ReadonlySet<string> = new Set(['<=>', 'in', 'like', 'ilike', 'match']);

const operatorOf = (expression: Expr): string =>
  expression.kind === 'binary' ? expression.operator : expression.kind;

/** Walks level by level, since the depth is not bounded yet. */
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
      const operator = operatorOf(expression);
      const within = around + Number(binding.has(operator));
      if (within > limits.nestedCalls)
        throw new QueryError(
          expression.at,
          `'${operator}' is nested deeper than ${limits.nestedCalls} levels, including several in a row`,
        );
      return partsOf(expression).map((part) => ({ expression: part, around: within }));
    });
  }
}
