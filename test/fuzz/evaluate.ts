// What an expression means for one row or group: every part is computed, from the inside out.
import { assertNever } from '../../src/errors.js';
import { doubleOf, isArray, isNumber, isString, tag, type Tagged } from './model/tagged-json.js';
import { calculations, type Expr } from './expression.js';
import { isFound, functions, stepInto, type Context } from './functions.js';
import { operators } from './operators.js';
import { Unspecified } from './text.js';
import { instantOf, isTimestamp, shifted, timestampOrNull } from './timestamps.js';

export const kinds = [
  ...(['null', 'boolean', 'number', 'big', 'string', 'timestamp', 'array', 'object'] as const),
] as const;
export type Kind = (typeof kinds)[number];

export interface Scope {
  readonly field: (name: string) => Tagged;
  /** The value of the output at this place. */
  readonly output: (index: number) => Tagged;
  readonly aggregate: (name: string, args: readonly Expr[]) => Tagged;
  readonly context: Context;
  /** Is told every operator and function with the kinds of its operands. */
  readonly observe: (op: string, kind: Kind) => void;
}

/** `big` is an integer that a double cannot tell from its neighbours. */
export function kindOf(value: Tagged): Kind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (isTimestamp(value)) return 'timestamp';
  if (isNumber(value)) return Math.abs(doubleOf(value) ?? 0) > 2 ** 53 - 1 ? 'big' : 'number';
  if (isString(value)) return 'string';
  return isArray(value) ? 'array' : 'object';
}

export function evaluate(expression: Expr, scope: Scope): Tagged {
  switch (expression.kind) {
    case 'path':
      return expression.steps.reduce<Tagged>(stepInto, scope.field(expression.field));
    case 'literal':
      return tag(expression.json);
    case 'alias':
      return scope.output(expression.output);
    case 'aggregate':
      return scope.aggregate(expression.name, expression.args);
    case 'interval':
      throw new Unspecified('an interval by itself');
    case 'apply':
      return finiteOf(expression, applied(expression.op, expression.args, scope));
    default:
      return assertNever(expression);
  }
}

const arithmetic: ReadonlySet<string> = new Set([...calculations, 'negate']);

const isArithmetic = (expression: Expr): boolean =>
  expression.kind === 'apply' && arithmetic.has(expression.op);

/** What a double cannot hold is NULL, but not in the arithmetic that goes on with it. */
const finiteOf = (expression: Expr, value: Tagged): Tagged =>
  isArithmetic(expression) && !Number.isFinite(doubleOf(value) ?? 0) ? null : value;

/** An operand of arithmetic may be infinite. */
const operandOf = (op: string, arg: Expr, scope: Scope): Tagged =>
  arithmetic.has(op) && arg.kind === 'apply' && isArithmetic(arg)
    ? applied(arg.op, arg.args, scope)
    : evaluate(arg, scope);

function applied(op: string, args: readonly Expr[], scope: Scope): Tagged {
  const values = args.map((arg) => (arg.kind === 'interval' ? null : operandOf(op, arg, scope)));
  const { observe, context } = scope;
  const interval = args.find((arg) => arg.kind === 'interval');
  const name = interval === undefined ? op : `${op} interval`;
  values.forEach((value, index) => {
    if (args[index]?.kind !== 'interval' && op !== 'search') observe(name, kindOf(value));
  });
  if (interval !== undefined)
    return moved(op, values.find((value) => value !== null) ?? null, interval);
  if (values.length === 0) observe(op, 'null');
  if (op === 'search') return foundIn(scope, values[0] ?? null);
  const operator = operators[op];
  return operator === undefined
    ? (functions[op]?.(context, ...values) ?? null)
    : operator(...values);
}

function foundIn({ field, observe }: Scope, words: Tagged): Tagged {
  const fields = ['input', 'output', 'expected', 'metadata'].map(field);
  for (const value of fields) observe('search', kindOf(value));
  return isFound(fields, words);
}

function moved(
  op: string,
  value: Tagged,
  { amount, unit }: Extract<Expr, { kind: 'interval' }>,
): Tagged {
  const instant = instantOf(value);
  if (instant === null) return null;
  return timestampOrNull(shifted(instant, op === '-' ? -amount : amount, unit));
}
