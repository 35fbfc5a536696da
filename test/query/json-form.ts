// A query as the JSON that clients send: the other spelling of its AST.
import type {
  BinaryOperator,
  Expr,
  ExpressionItem,
  LiteralValue,
  QueryAst,
  Sample,
  SelectItem,
  Step,
  UnpivotItem,
} from '../../src/query/syntax/ast.js';
import { assertNever } from '../../src/errors.js';
import type { JsonValue } from '../../src/json/json.js';
import { printExpression } from '../../src/query/syntax/print.js';

const operations: Readonly<Record<BinaryOperator, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'mod',
  '=': 'eq',
  '<=>': 'is',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  and: 'and',
  or: 'or',
  includes: 'includes',
  like: 'like',
  ilike: 'ilike',
  match: 'match',
};

const ident = (steps: readonly Step[]) => ({ op: 'ident', name: [...steps] });

const memberNames = ['cond', 'then'];

/** One of the `conds` of a node `if`. */
export const branch = (...parts: readonly [condition: unknown, value: unknown]): object =>
  Object.fromEntries(memberNames.map((name, index) => [name, parts[index]]));

const call = (name: string, args: readonly unknown[]) => ({
  op: 'function',
  name: ident([name]),
  args,
});

function literal(value: LiteralValue): JsonValue {
  if (value instanceof Map)
    return new Map([...value].map(([key, part]) => [key, literal(part)] as const));
  return Array.isArray(value) ? (value as LiteralValue[]).map(literal) : value;
}

export function jsonExpression(expression: Expr): object {
  const of = jsonExpression;
  switch (expression.kind) {
    case 'literal':
      return { op: 'literal', value: literal(expression.value) };
    case 'path':
      return ident(expression.steps);
    case 'interval':
      return { op: 'interval', value: expression.count, unit: expression.unit };
    case 'call':
      return call(
        expression.name,
        expression.args === 'star' ? [{ op: 'star' }] : expression.args.map(of),
      );
    case 'unary':
      return expression.operator === 'not' && expression.operand.kind === 'isNull'
        ? { op: 'isnotnull', expr: of(expression.operand.operand) }
        : { op: expression.operator === 'not' ? 'not' : 'neg', expr: of(expression.operand) };
    case 'isNull':
      return { op: 'isnull', expr: of(expression.operand) };
    case 'binary':
      return binary(expression.operator, of(expression.left), of(expression.right));
    case 'in':
      if (expression.list.some(({ kind }) => kind !== 'literal'))
        return { btql: printExpression(expression) };
      return {
        op: 'in',
        left: of(expression.operand),
        right: {
          op: 'literal',
          value: expression.list.map((each) =>
            literal(each.kind === 'literal' ? each.value : null),
          ),
        },
      };
    case 'conditional':
      return {
        op: 'if',
        conds: [branch(of(expression.condition), of(expression.whenTrue))],
        else: of(expression.otherwise),
      };
    default:
      return assertNever(expression);
  }
}

function binary(operator: BinaryOperator, left: object, right: object): object {
  if (operator === 'includes') return { op: 'includes', haystack: left, needle: right };
  if (operator === 'and') return { op: 'and', children: [left, right] };
  return { op: operations[operator], left, right };
}

const item = ({ expression, alias }: ExpressionItem) => ({
  expr: jsonExpression(expression),
  ...(alias === null ? {} : { alias }),
});

const selected = (each: SelectItem) => (each.kind === 'star' ? { op: 'star' } : item(each));

const unpivoted = ({ expression, key, value }: UnpivotItem) => ({
  expr: jsonExpression(expression),
  alias: key === null ? value : [key, value],
});

const sampled = ({ unit, amount }: Sample) => ({
  method:
    unit === 'rows' ? { type: 'count', value: amount } : { type: 'rate', value: amount / 100 },
});

const ifSome = <T>(list: readonly T[], build: (each: T) => unknown) =>
  list.length === 0 ? null : list.map(build);

/** Of a query whose sources are of one kind. */
export const jsonForm = (ast: QueryAst): JsonValue => ({
  select: ast.select?.map(selected) ?? null,
  infer:
    ast.infer?.map((each) => (each.kind === 'star' ? { op: 'star' } : ident(each.steps))) ?? null,
  dimensions: ifSome(ast.dimensions, item),
  measures: ifSome(ast.measures, item),
  from: {
    ...call(
      ast.from[0]?.kind ?? '',
      ast.from.map(({ id }) => ({ op: 'literal', value: id })),
    ),
    shape: ast.shape,
  },
  filter: ast.filter === null ? null : jsonExpression(ast.filter),
  final_filter: ast.finalFilter === null ? null : jsonExpression(ast.finalFilter),
  trace_filter: ast.traceFilter === null ? null : jsonExpression(ast.traceFilter),
  span_filter: ast.spanFilter === null ? null : jsonExpression(ast.spanFilter),
  sort: ifSome(ast.sort, ({ expression, descending }) => ({
    expr: jsonExpression(expression),
    dir: descending ? 'desc' : 'asc',
  })),
  sample: ast.sample === null ? null : sampled(ast.sample),
  unpivot: ifSome(ast.unpivot, unpivoted),
  pivot: ifSome(ast.pivot, ({ name }) => ({ expr: { op: 'literal', value: name } })),
  limit: ast.limit,
  cursor: ast.cursor?.text ?? null,
  preview_length: ast.previewLength === 'all' ? -1 : ast.previewLength,
});
