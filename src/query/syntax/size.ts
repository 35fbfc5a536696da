// Limits the size of a query, counted in its tree. So the limits are the same for text, SQL and JSON.
import { QueryError } from '../../errors.js';
import type { Expr, LiteralValue, QueryAst } from './ast.js';
import { checkCount, limits } from './limits.js';
import { expressionsOf, partsOf } from './walk.js';

/** @throws QueryError at the first part beyond a limit */
export function checkSize(ast: QueryAst): void {
  const { from, select, infer, dimensions, measures, groupBy, sort, unpivot } = ast;
  checkCount(from, limits.sources, 'sources');
  checkCount(infer ?? [], limits.inferItems, "paths after 'infer'");
  checkCount(select ?? [...dimensions, ...measures], limits.columns, 'columns');
  checkCount(groupBy ?? [], limits.columns, 'keys of GROUP BY');
  checkCount(sort, limits.sortKeys, 'sort keys');
  checkCount(unpivot, limits.unpivots, "parts of 'unpivot'");
  const counts: Counts = { paths: new Set(), parts: 0, operators: 0, calls: 0, arguments: 0 };
  const around: Levels = { depth: 1, operators: 0, calls: 0, binding: 0 };
  // A number in GROUP BY or ORDER BY stands for the same node as the column.
  for (const expression of new Set(expressionsOf(ast))) count(expression, counts, around);
}

interface Counts {
  readonly paths: Set<string>;
  parts: number;
  operators: number;
  calls: number;
  arguments: number;
}

/** The numbers of levels around an expression. */
interface Levels {
  readonly depth: number;
  /** Without `and`, `or` and `? :`. */
  readonly operators: number;
  readonly calls: number;
  readonly binding: number;
}

/** Counts an operand of BETWEEN or CASE for each of its uses. */
function count(expression: Expr, counts: Counts, around: Levels): void {
  const { at } = expression;
  checkLevels(expression, around);
  counts.parts += expression.kind === 'literal' ? partsOfLiteral(expression.value) : 1;
  counts.operators += operatorsOf(expression);
  if (expression.kind === 'path') counts.paths.add(JSON.stringify(expression.steps));
  const isCall = expression.kind === 'call';
  if (isCall) {
    counts.calls += 1;
    counts.arguments += partsOf(expression).filter(({ kind }) => kind !== 'literal').length;
  }
  check(at, counts.parts, limits.tokens, 'expressions, names and constants');
  check(at, counts.paths.size, limits.paths, 'different paths');
  check(at, counts.operators, limits.operators, 'operators', "use 'in' for long lists");
  check(at, counts.calls, limits.calls, 'calls of functions');
  check(at, counts.arguments, limits.arguments, 'arguments of functions that are not constants');
  const levels: Levels = {
    depth: around.depth + 1,
    operators: around.operators + Number(isNested(expression)),
    calls: around.calls + Number(isCall),
    binding: around.binding + Number(binding.has(operatorOf(expression))),
  };
  for (const part of partsOf(expression)) count(part, counts, levels);
}

/** Operators whose SQL computes an operand once in a lambda (`value/share`), as functions do, so the same limit applies. */
const binding: ReadonlySet<string> = new Set(['<=>', 'in', 'like', 'ilike', 'match']);

const operatorOf = (expression: Expr): string =>
  expression.kind === 'binary' ? expression.operator : expression.kind;

const isNested = (expression: Expr): boolean =>
  expression.kind === 'binary'
    ? expression.operator !== 'and' && expression.operator !== 'or'
    : expression.kind === 'unary' || expression.kind === 'isNull' || expression.kind === 'in';

function checkLevels(expression: Expr, { depth, operators, calls, binding: bound }: Levels): void {
  const { at } = expression;
  if (depth > limits.depth)
    throw new QueryError(
      at,
      `the expression is nested deeper than ${limits.depth} levels, including operators in a row`,
    );
  if (isNested(expression) && operators >= limits.nestedOperators)
    throw new QueryError(
      at,
      `operators are nested deeper than ${limits.nestedOperators} levels, including several in a row: use parentheses to group them`,
    );
  if (expression.kind === 'call' && calls >= limits.nestedCalls)
    throw new QueryError(at, `functions are nested deeper than ${limits.nestedCalls} levels`);
  const operator = operatorOf(expression);
  if (binding.has(operator) && bound >= limits.nestedCalls)
    throw new QueryError(
      at,
      `'${operator}' is nested deeper than ${limits.nestedCalls} levels, including several in a row`,
    );
}

/** An element of a list that is not a string, a number or a boolean is compared on its own, like an operand of `=`. */
function operatorsOf(expression: Expr): number {
  switch (expression.kind) {
    case 'unary':
    case 'binary':
    case 'isNull':
    case 'conditional':
      return 1;
    case 'in':
      return 1 + expression.list.filter((element) => !isPlain(element)).length;
    default:
      return 0;
  }
}

const isPlain = (element: Expr): boolean =>
  element.kind === 'literal' && typeof element.value !== 'object';

function check(
  at: Expr['at'],
  found: number,
  maximum: number,
  what: string,
  advice = 'request fewer at a time',
): void {
  if (found > maximum) throw new QueryError(at, `more than ${maximum} ${what}: ${advice}`);
}

function partsOfLiteral(value: LiteralValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let parts = 1;
  for (const part of value instanceof Map ? value.values() : (value as readonly LiteralValue[]))
    parts += partsOfLiteral(part);
  return parts;
}
