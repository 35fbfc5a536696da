// The part of the query language that the model understands: its form, and its text.
import { assertNever } from '../../src/errors.js';
import type { Tagged } from './tagged-json.js';
import { isArray, isObject, tag } from './tagged-json.js';

export interface PathExpr {
  readonly kind: 'path';
  readonly field: string;
  readonly steps: readonly (string | number)[];
}

export const comparisons = ['=', '!=', '<', '<=', '>', '>='] as const;
export const arithmetic = ['+', '-', '*', '/', '%'] as const;
export type Comparison = (typeof comparisons)[number];
export type Arithmetic = (typeof arithmetic)[number];

export type Expr =
  | PathExpr
  | { readonly kind: 'literal'; readonly json: string }
  | { readonly kind: 'compare'; readonly op: Comparison; readonly left: Expr; readonly right: Expr }
  | {
      readonly kind: 'arithmetic';
      readonly op: Arithmetic;
      readonly left: Expr;
      readonly right: Expr;
    }
  | { readonly kind: 'and' | 'or' | 'includes'; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'not'; readonly operand: Expr }
  | { readonly kind: 'isNull'; readonly operand: Expr; readonly negated: boolean }
  | { readonly kind: 'in'; readonly operand: Expr; readonly list: readonly string[] }
  | { readonly kind: 'coalesce'; readonly args: readonly Expr[] }
  | {
      readonly kind: 'choice';
      readonly condition: Expr;
      readonly yes: Expr;
      readonly no: Expr;
    };

export const aggregates = ['count', 'count_distinct', 'sum', 'avg', 'min', 'max'] as const;

export interface Measure {
  readonly name: (typeof aggregates)[number];
  /** null is `*`. */
  readonly argument: Expr | null;
}

export interface SortItem {
  /** Index of an output. */
  readonly output: number;
  readonly descending: boolean;
}

interface Clauses {
  readonly filter: Expr | null;
  readonly sort: readonly SortItem[];
  readonly limit: number | null;
}

export type Query = Clauses &
  (
    | { readonly kind: 'rows'; readonly select: readonly Expr[] }
    | {
        readonly kind: 'groups';
        readonly dimensions: readonly Expr[];
        readonly measures: readonly Measure[];
      }
  );

const plainName = /^[a-zA-Z_]\w*$/;

function stepText(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (plainName.test(step)) return `.${step}`;
  return /["\\]/.test(step) ? `[${quoted(step)}]` : `."${step}"`;
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

function literalText(value: Tagged): string {
  if (isArray(value)) return `[${value.map(literalText).join(', ')}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, member]) => `${quoted(key.slice(1))}: ${literalText(member)}`)
      .join(', ')}}`;
  if (typeof value !== 'string') return String(value);
  return value.startsWith('s') ? quoted(value.slice(1)) : String(Number(value.slice(1)));
}

export function expressionText(expression: Expr): string {
  switch (expression.kind) {
    case 'path':
      return `${expression.field}${expression.steps.map(stepText).join('')}`;
    case 'literal':
      return literalText(tag(expression.json));
    case 'compare':
    case 'arithmetic':
      return `(${expressionText(expression.left)} ${expression.op} ${expressionText(expression.right)})`;
    case 'and':
    case 'or':
    case 'includes':
      return `(${expressionText(expression.left)} ${expression.kind} ${expressionText(expression.right)})`;
    case 'not':
      return `(not ${expressionText(expression.operand)})`;
    case 'isNull':
      return `(${expressionText(expression.operand)} IS ${expression.negated ? 'NOT ' : ''}NULL)`;
    case 'in':
      return `(${expressionText(expression.operand)} IN [${expression.list.map((json) => literalText(tag(json))).join(', ')}])`;
    case 'coalesce':
      return `coalesce(${expression.args.map(expressionText).join(', ')})`;
    case 'choice':
      return `(${expressionText(expression.condition)} ? ${expressionText(expression.yes)} : ${expressionText(expression.no)})`;
    default:
      return assertNever(expression);
  }
}

const measureText = ({ name, argument }: Measure) =>
  `${name}(${argument === null ? '*' : expressionText(argument)})`;

/** Outputs are called c0, c1, …; those of a grouped query are its dimensions, then its measures. */
const aliased = (texts: readonly string[], first: number) =>
  texts.map((text, index) => `${text} as c${first + index}`).join(', ');

function outputClauses(query: Query): readonly string[] {
  if (query.kind === 'rows') return [`select: ${aliased(query.select.map(expressionText), 0)}`];
  const { dimensions, measures } = query;
  const clauses = [
    dimensions.length === 0 ? '' : `dimensions: ${aliased(dimensions.map(expressionText), 0)}`,
    measures.length === 0
      ? ''
      : `measures: ${aliased(measures.map(measureText), dimensions.length)}`,
  ];
  return clauses.filter((clause) => clause !== '');
}

export function queryText(query: Query, source: string): string {
  const { filter, sort, limit } = query;
  const items = sort.map(({ output, descending }) => `c${output}${descending ? ' desc' : ''}`);
  return [
    ...outputClauses(query),
    `from: ${source}`,
    ...(filter === null ? [] : [`filter: ${expressionText(filter)}`]),
    ...(items.length === 0 ? [] : [`sort: ${items.join(', ')}`]),
    ...(limit === null ? [] : [`limit: ${limit}`]),
  ].join(' | ');
}
