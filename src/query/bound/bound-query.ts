// The bound query: a query whose names are resolved, as plain data.
import type {
  Binary,
  Conditional,
  Expr,
  In,
  Interval,
  IsNull,
  Literal,
  Position,
  Sample,
  Shape,
  Step,
  Unary,
} from '../syntax/ast.js';
import { withOperands } from '../syntax/walk.js';

export interface FieldExpr {
  readonly kind: 'field';
  /** A key of `fields`. */
  readonly field: string;
  /** The path below it. */
  readonly steps: readonly Step[];
  /** Whether `preview_length` does not cut it. */
  readonly isWhole?: true;
  readonly at: Position;
}

export interface AggregateExpr {
  readonly kind: 'aggregate';
  readonly name: string;
  /** Empty for `count(*)`. */
  readonly args: readonly BoundExpr[];
  readonly at: Position;
}

/** The key or the value of a member in the rows of an `unpivot`. */
export interface MemberExpr {
  readonly kind: 'member';
  /** The index of the `unpivot` in the query. */
  readonly index: number;
  readonly part: 'key' | 'value';
  readonly name: string;
  readonly at: Position;
}

export interface BoundUnpivot {
  readonly expression: BoundExpr;
  /** Whether it expands members of objects or elements of arrays. */
  readonly of: 'object' | 'array';
}

export type BoundExpr =
  | Literal
  | Interval
  | Unary<BoundExpr>
  | Binary<BoundExpr>
  | In<BoundExpr>
  | IsNull<BoundExpr>
  | Conditional<BoundExpr>
  | FieldExpr
  | MemberExpr
  | { readonly kind: 'extract'; readonly from: BoundExpr; readonly steps: readonly Step[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly BoundExpr[] }
  /** In the filter of traces: whether some row of the trace passes. */
  | { readonly kind: 'anySpan'; readonly operand: BoundExpr }
  | AggregateExpr
  /** A group key or the result of an aggregate, by its index in the plan. */
  | { readonly kind: 'key'; readonly index: number }
  | { readonly kind: 'result'; readonly index: number };

export interface BoundOutput {
  readonly name: string;
  readonly expression: BoundExpr;
}

export interface BoundSort {
  readonly expression: BoundExpr;
  readonly descending: boolean;
}

export interface BoundQuery {
  /** Whether the columns are those of `select`, and not of `dimensions` and `measures`. */
  readonly isSelect: boolean;
  readonly isGrouped: boolean;
  /** Group keys; empty for aggregates over all rows. */
  readonly dimensions: readonly BoundExpr[];
  readonly outputs: readonly BoundOutput[];
  readonly unpivots: readonly BoundUnpivot[];
  readonly filter: BoundExpr | null;
  /** The filter on the rows of a trace in the result; null for all rows. */
  readonly spanFilter: BoundExpr | null;
  /** A condition on the summaries of traces. */
  readonly traceFilter: BoundExpr | null;
  readonly finalFilter: BoundExpr | null;
  readonly sort: readonly BoundSort[];
  readonly sample: Sample | null;
  readonly limit: number | null;
  /** The measures that `pivot` turns into columns. */
  readonly pivoted: readonly string[];
  readonly shape: Shape;
  readonly previewLength: number | 'all' | null;
  readonly warnings: readonly string[];
}

/** The expression with other operands. */
function withParts(expression: BoundExpr, visit: (part: BoundExpr) => BoundExpr): BoundExpr {
  switch (expression.kind) {
    case 'literal':
    case 'interval':
    case 'field':
    case 'member':
    case 'key':
    case 'result':
      return expression;
    case 'call':
    case 'aggregate':
      return { ...expression, args: expression.args.map(visit) };
    case 'extract':
      return { ...expression, from: visit(expression.from) };
    case 'anySpan':
      return { ...expression, operand: visit(expression.operand) };
    default:
      return withOperands(expression, visit);
  }
}

export function partsOf(expression: BoundExpr): readonly BoundExpr[] {
  const parts: BoundExpr[] = [];
  withParts(expression, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** Whether some expression of a tree matches. */
export const someExpr = (
  expression: BoundExpr,
  matches: (candidate: BoundExpr) => boolean,
): boolean => matches(expression) || partsOf(expression).some((part) => someExpr(part, matches));

export const hasAggregate = (expression: BoundExpr): boolean =>
  someExpr(expression, ({ kind }) => kind === 'aggregate');

/** The field that the expression is; null for a path below one and for any other expression. */
export const wholeField = (expression: BoundExpr): string | null =>
  expression.kind === 'field' && expression.steps.length === 0 ? expression.field : null;

/** Replaces expressions of a tree. If `replace` returns null, the operands of the expression are visited. */
export const replaceExprs = (
  expression: BoundExpr,
  replace: (candidate: BoundExpr) => BoundExpr | null,
): BoundExpr => replace(expression) ?? withParts(expression, (part) => replaceExprs(part, replace));

/** Returns equal texts for equal expressions, whatever their source positions. */
export const signature = (expression: BoundExpr): string =>
  JSON.stringify(expression, (key, value: unknown) => {
    if (key === 'at') return undefined;
    if (value === Infinity || value === -Infinity) return { infinite: value > 0 };
    return value instanceof Map ? { map: [...value] } : value;
  });

/** The operands of nested `and`, in their order; for any other expression, the expression itself. */
export function conjuncts<T extends Expr | BoundExpr>(filter: T): readonly T[] {
  const parts: T[] = [];
  const rest: T[] = [filter];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.kind === 'binary' && next.operator === 'and')
      rest.push(next.right as T, next.left as T);
    else parts.push(next);
  }
  return parts;
}
