// Prints an AST as query text that parses to the same AST.
import { assertNever } from '../../errors.js';
import type {
  Expr,
  InferItem,
  LiteralValue,
  PathExpr,
  QueryAst,
  Sample,
  SelectItem,
  SortItem,
  Step,
  UnpivotItem,
} from './ast.js';
import { doubleQuoted, singleQuoted } from './quoting.js';

export const printQuery = (ast: QueryAst): string =>
  ast.groupBy === null ? printClauses(ast) : printSql(ast, ast.groupBy);

/** A line per clause that is not null. */
const lines = (
  separator: string,
  clauses: readonly (readonly [name: string, value: string | null])[],
): string =>
  clauses
    .filter(([, value]) => value !== null)
    .map((clause) => clause.join(separator))
    .join('\n');

/** Clauses cannot express group keys beside `select`. */
function printSql(ast: QueryAst, keys: readonly Expr[]): string {
  return lines(' ', [
    ['SELECT', list(ast.select ?? [], printItem)],
    ['FROM', printSources(ast)],
    ['WHERE', ast.filter === null ? null : printExpression(ast.filter)],
    ['GROUP BY', list(keys, printExpression)],
    ['HAVING', ast.finalFilter === null ? null : printExpression(ast.finalFilter)],
    ['ORDER BY', ast.sort.length === 0 ? null : list(ast.sort, printSort)],
    ['LIMIT', ast.limit === null ? null : String(ast.limit)],
  ]);
}

function printClauses(ast: QueryAst): string {
  return lines(': ', [
    ['select', ast.select === null ? null : list(ast.select, printItem)],
    ['dimensions', ast.dimensions.length === 0 ? null : list(ast.dimensions, printItem)],
    ['infer', ast.infer === null ? null : list(ast.infer, printInferred)],
    ['measures', ast.measures.length === 0 ? null : list(ast.measures, printItem)],
    ['from', printSources(ast)],
    ['filter', ast.filter === null ? null : printExpression(ast.filter)],
    ['final_filter', ast.finalFilter === null ? null : printExpression(ast.finalFilter)],
    ['trace_filter', ast.traceFilter === null ? null : printExpression(ast.traceFilter)],
    ['span_filter', ast.spanFilter === null ? null : printExpression(ast.spanFilter)],
    ['sort', ast.sort.length === 0 ? null : list(ast.sort, printSort)],
    ['sample', ast.sample === null ? null : printSample(ast.sample)],
    ['unpivot', ast.unpivot.length === 0 ? null : list(ast.unpivot, printUnpivot)],
    ['pivot', ast.pivot.length === 0 ? null : list(ast.pivot, ({ name }) => doubleQuoted(name))],
    ['limit', ast.limit === null ? null : String(ast.limit)],
    ['cursor', ast.cursor === null ? null : singleQuoted(ast.cursor.text)],
    ['preview_length', ast.previewLength === null ? null : printLength(ast.previewLength)],
  ]);
}

const printSources = ({ from, shape }: QueryAst): string =>
  `${list(from, ({ kind, id }) => `${kind}(${singleQuoted(id)})`)} ${shape}`;

const printLength = (length: number | 'all'): string => (length === 'all' ? '-1' : String(length));

const printSample = ({ unit, amount }: Sample): string =>
  `${amount}${unit === 'percent' ? '%' : ''}`;

const list = <T>(items: readonly T[], print: (item: T) => string): string =>
  items.map(print).join(', ');

function printItem(item: SelectItem): string {
  if (item.kind === 'star') return '*';
  const alias = item.alias === null ? '' : ` as ${doubleQuoted(item.alias)}`;
  return `${printExpression(item.expression)}${alias}`;
}

const printInferred = (item: InferItem): string =>
  item.kind === 'star' ? '*' : printExpression(item);

function printUnpivot({ expression, key, value }: UnpivotItem): string {
  const names = key === null ? [value] : [key, value];
  return `${printExpression(expression)} as (${list(names, doubleQuoted)})`;
}

/** A quoted alias can be any text. */
function printSort({ expression, descending }: SortItem): string {
  const isAlias = expression.kind === 'path' && expression.steps.length === 1;
  const text = isAlias ? doubleQuoted(expression.steps[0]) : printExpression(expression);
  return `${text}${descending ? ' desc' : ''}`;
}

type PrintPath = (steps: PathExpr['steps']) => string;

/** Puts each operand that has operators in parentheses. */
export const printExpression = (expression: Expr): string => print(expression, printPath);

/** The text that names the column of an expression without alias. */
export const printName = (expression: Expr): string => print(expression, printShortPath);

function print(expression: Expr, path: PrintPath): string {
  const operand = (part: Expr) => printOperand(part, path);
  const parts = (expressions: readonly Expr[]) => list(expressions, (part) => print(part, path));
  switch (expression.kind) {
    case 'literal':
      return printLiteral(expression.value);
    case 'path':
      return path(expression.steps);
    case 'call':
      return `${expression.name}(${expression.args === 'star' ? '*' : parts(expression.args)})`;
    case 'unary':
      return `${expression.operator} ${operand(expression.operand)}`;
    case 'binary':
      return `${operand(expression.left)} ${expression.operator} ${operand(expression.right)}`;
    case 'in':
      return `${operand(expression.operand)} in [${parts(expression.list)}]`;
    case 'isNull':
      return `${operand(expression.operand)} is null`;
    case 'conditional':
      return `${operand(expression.condition)} ? ${operand(expression.whenTrue)} : ${operand(expression.otherwise)}`;
    case 'interval':
      return `interval ${expression.count} ${expression.unit}`;
    default:
      return assertNever(expression);
  }
}

function printOperand(expression: Expr, path: PrintPath): string {
  const text = print(expression, path);
  return isAtom(expression, text) ? text : `(${text})`;
}

/**
 * Only constants are decided by their text: reading the text of every operand would take quadratic time. A negative number after a
 * minus sign would be parsed as one constant.
 */
function isAtom({ kind }: Expr, text: string): boolean {
  if (kind === 'literal') return /^['"[{\w.]+$/.test(text);
  return kind === 'path' || kind === 'call';
}

const plainWord = /^[a-z_\p{L}][a-z0-9_$\p{L}\p{N}\p{M}]*$/iu;

/** Quotes a name that could be a keyword or is not a word. A name without steps cannot be quoted. */
function printPath([head, ...steps]: PathExpr['steps']): string {
  const first = steps.length === 0 && plainWord.test(head) ? head : doubleQuoted(head);
  return first + steps.map(printStep).join('');
}

/** Quotes a name only if it is not a word. */
function printShortPath([head, ...steps]: PathExpr['steps']): string {
  const first = plainWord.test(head) ? head : doubleQuoted(head);
  return first + steps.map(printShortStep).join('');
}

const printStep = (step: Step): string =>
  typeof step === 'number' ? `[${step}]` : `[${doubleQuoted(step)}]`;

const printShortStep = (step: Step): string =>
  typeof step === 'string' && plainWord.test(step) ? `.${step}` : printStep(step);

function printLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return singleQuoted(value);
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof Map) {
    return `{${[...value].map(([key, member]) => `${doubleQuoted(key)}: ${printLiteral(member)}`).join(', ')}}`;
  }
  return `[${(value as readonly LiteralValue[]).map(printLiteral).join(', ')}]`;
}
