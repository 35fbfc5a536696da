// The abstract syntax tree of a query: plain data with source positions.
import type { QueryPosition } from '../../errors.js';

export type Position = QueryPosition;

/** A constant. Objects are `Map`s, which preserve the order of all keys. */
export type LiteralValue =
  null | boolean | number | string | readonly LiteralValue[] | ReadonlyMap<string, LiteralValue>;

export type Step = string | number;

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
/** Null-safe equality (IS NOT DISTINCT FROM): null equals null, and the result is never null. */
export type NullSafeOperator = '<=>';
export type WordOperator = 'includes' | 'like' | 'ilike' | 'match';
export type LogicalOperator = 'and' | 'or';
export type BinaryOperator =
  ArithmeticOperator | ComparisonOperator | NullSafeOperator | WordOperator | LogicalOperator;

interface Node {
  readonly at: Position;
}

export interface PathExpr extends Node {
  readonly kind: 'path';
  /** The first step is a name. */
  readonly steps: readonly [string, ...Step[]];
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  /** In lower case. */
  readonly name: string;
  /** `'star'` for `count(*)`. */
  readonly args: readonly Expr[] | 'star';
}

/** A constant. */
export interface Literal {
  readonly kind: 'literal';
  readonly value: LiteralValue;
}

export interface Interval {
  readonly kind: 'interval';
  readonly count: number;
  /** Singular, in lower case. */
  readonly unit: IntervalUnit;
}

export interface Unary<E> {
  readonly kind: 'unary';
  readonly operator: 'not' | '-';
  readonly operand: E;
}

export interface Binary<E> {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: E;
  readonly right: E;
}

export interface In<E> {
  readonly kind: 'in';
  readonly operand: E;
  readonly list: readonly E[];
}

export interface IsNull<E> {
  readonly kind: 'isNull';
  readonly operand: E;
}

export interface Conditional<E> {
  readonly kind: 'conditional';
  readonly condition: E;
  readonly whenTrue: E;
  readonly otherwise: E;
}

/** An operator and its operands: expressions of a query, or bound ones. */
export type Operation<E> = Unary<E> | Binary<E> | In<E> | IsNull<E> | Conditional<E>;

/** The units to which timestamps are truncated. */
export const timeUnits = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
] as const;

export type TimeUnit = (typeof timeUnits)[number];

export const intervalUnits = ['microsecond', 'millisecond', ...timeUnits] as const;

export type IntervalUnit = (typeof intervalUnits)[number];

export type Expr =
  | PathExpr
  | CallExpr
  | (Node & (Literal | Interval))
  | (Node & (Unary<Expr> | Binary<Expr> | In<Expr> | IsNull<Expr> | Conditional<Expr>));

export interface ExpressionItem extends Node {
  readonly kind: 'expression';
  readonly expression: Expr;
  readonly alias: string | null;
  /** The source text of the expression, which names its column if there is no alias. */
  readonly text: string;
}

export interface StarItem extends Node {
  readonly kind: 'star';
  /** Fields that it leaves out for the reader. */
  readonly without?: ReadonlySet<string>;
}

export type SelectItem = ExpressionItem | StarItem;

export interface SortItem extends Node {
  readonly expression: Expr;
  readonly descending: boolean;
}

/** Makes a row of each member of an object, or of each element of an array. */
export interface UnpivotItem extends Node {
  readonly expression: Expr;
  /** The name for the key of a member; null for an array. */
  readonly key: string | null;
  /** The name for the member or element. */
  readonly value: string;
}

/** An operand of `infer`: the value whose paths it lists. */
export type InferItem = StarItem | PathExpr;

/** A measure that `pivot` turns into one column per value of the last dimension. */
export interface PivotItem extends Node {
  /** The name of the column of the measure. */
  readonly name: string;
}

/** Sources whose rows are the prompts of projects instead of events. */
const promptSources = ['project_prompts', 'project_functions'] as const;

const eventSources = ['experiment', 'project_logs', 'dataset', 'project'] as const;

/** A source whose rows are the changes of an organisation's objects, grants and keys. */
const auditSource = 'audit_log';

export const sourceKinds = [...eventSources, ...promptSources, auditSource] as const;

export type EventSource = (typeof eventSources)[number];

export type SourceKind = (typeof sourceKinds)[number];

export const isPromptSource = ({ kind }: QuerySource): boolean =>
  promptSources.some((source) => source === kind);

export const isAuditSource = ({ kind }: QuerySource): boolean => kind === auditSource;

export interface QuerySource extends Node {
  readonly kind: SourceKind;
  readonly id: string;
}

/** A random sample of the rows that pass the filter, the same one in every run. */
export interface Sample {
  readonly unit: 'percent' | 'rows';
  readonly amount: number;
}

/**
 * The rows of a query: the rows that pass the filter, all rows of their traces, one row per such trace, or all row versions,
 * tombstones included.
 */
export const shapes = ['spans', 'traces', 'summary', 'versions'] as const;

export type Shape = (typeof shapes)[number];

/** Whether the filter is a condition on rows instead of traces. */
export const isOfRows = (shape: Shape): boolean => shape === 'spans' || shape === 'versions';

export interface CursorText extends Node {
  readonly text: string;
}

/** Either `select`, or `dimensions` and `measures` of which one may be empty, or `infer`. */
export interface QueryAst {
  readonly select: readonly SelectItem[] | null;
  readonly infer: readonly InferItem[] | null;
  readonly dimensions: readonly ExpressionItem[];
  readonly measures: readonly ExpressionItem[];
  /** The GROUP BY expressions beside `select`, in SQL; null for none. */
  readonly groupBy: readonly Expr[] | null;
  readonly from: readonly QuerySource[];
  readonly shape: Shape;
  readonly filter: Expr | null;
  readonly finalFilter: Expr | null;
  /** A condition on whole traces, over the fields of their summaries. */
  readonly traceFilter: Expr | null;
  /** A condition on the rows of traces in the result. */
  readonly spanFilter: Expr | null;
  readonly sort: readonly SortItem[];
  readonly sample: Sample | null;
  readonly unpivot: readonly UnpivotItem[];
  readonly pivot: readonly PivotItem[];
  readonly limit: number | null;
  readonly cursor: CursorText | null;
  /** The number of characters of a long value in a summary; null for the default. */
  readonly previewLength: number | 'all' | null;
}

/** The name of a column without alias: a path is named by its last part, anything else by its text. */
export function columnName(expression: Expr, text: string): string {
  if (expression.kind !== 'path') return text.replaceAll(/\s+/g, ' ');
  const names = expression.steps.filter((step) => typeof step === 'string');
  return names.at(-1) ?? text;
}
