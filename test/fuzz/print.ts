// The text of an expression: with as few parentheses as precedence allows, or with all of them.
import { assertNever } from '../../src/errors.js';
import { isArray, isObject, tag, type Tagged } from './model/tagged-json.js';
import { levels, type Apply, type Expr } from './expression.js';

export interface Style {
  readonly parentheses: 'few' | 'all';
  /** How the outputs of the query are called. */
  readonly aliases: readonly string[];
}

const plainName = /^[a-zA-Z_]\w*$/;

const singleQuoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
export const doubleQuoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** Either quote, one as good as the other. */
export const quoted = (text: string): string =>
  text.length % 2 === 0 ? singleQuoted(text) : doubleQuoted(text);

export const wordText = (text: string): string =>
  plainName.test(text) ? text : doubleQuoted(text);

function stepText(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (plainName.test(step)) return step.length % 3 === 2 ? `."${step}"` : `.${step}`;
  return step.length % 2 === 0 ? `[${singleQuoted(step)}]` : `.${doubleQuoted(step)}`;
}

function literalText(value: Tagged): string {
  if (isArray(value)) return `[${value.map(literalText).join(', ')}]`;
  if (isObject(value)) return `{${Object.entries(value).map(memberText).join(', ')}}`;
  if (typeof value !== 'string') return String(value);
  return value.startsWith('s') ? quoted(value.slice(1)) : numeral(value.slice(1));
}

const memberText = ([tagged, member]: readonly [string, Tagged]): string => {
  const key = tagged.slice(1);
  return `${plainName.test(key) ? key : quoted(key)}: ${literalText(member)}`;
};

const numeral = (text: string): string => {
  const double = Number(text);
  return Number.isSafeInteger(double) ? String(double) : (BigIntText(text) ?? String(double));
};

/** The digits of a big integer that `tag` spelt in scientific notation. */
function BigIntText(text: string): string | null {
  const [, sign = '', first = '', rest = '', exponent = ''] =
    /^(-?)(\d)\.(\d*)e(\d+)$/.exec(text) ?? [];
  return rest.length > Number(exponent) || first === ''
    ? null
    : `${sign}${first}${rest.padEnd(Number(exponent), '0')}`;
}

export function expressionText(expression: Expr, style: Style): string {
  switch (expression.kind) {
    case 'path':
      return `${expression.field}${expression.steps.map(stepText).join('')}`;
    case 'literal':
      return literalText(tag(expression.json));
    case 'interval':
      return `interval ${expression.amount} ${expression.unit}${expression.amount === 1 ? '' : 's'}`;
    case 'alias':
      return wordText(style.aliases[expression.output] ?? '');
    case 'aggregate':
      return `${expression.name}(${expression.args.length === 0 ? '*' : listText(expression.args, style)})`;
    case 'apply':
      return applyText(expression, style);
    default:
      return assertNever(expression);
  }
}

const listText = (args: readonly Expr[], style: Style) =>
  args.map((arg) => expressionText(arg, style)).join(', ');

/** Binds as strongly as a word: nothing tears it apart. */
const primary = 9;

const levelOf = (expression: Expr): number =>
  expression.kind === 'apply' ? (levels[expression.op] ?? primary) : primary;

function applyText(expression: Apply, style: Style): string {
  const { op, args } = expression;
  const level = levelOf(expression);
  if (level === primary) return `${op.replace('()', '')}(${listText(args, style)})`;
  const at = (index: number, least: number) => operandText(args[index], least, style);
  switch (op) {
    case '?:':
      return `${at(0, 1)} ? ${at(1, 0)} : ${at(2, 0)}`;
    case 'not':
      return `not ${at(0, 3)}`;
    case 'negate':
      return `-(${at(0, 0)})`;
    case 'in':
    case 'not in':
      return `${at(0, 6)} ${op} [${listText(args.slice(1), style)}]`;
    case 'is null':
    case 'is not null':
      return `${at(0, 6)} ${op}`;
    default: {
      const isChain = op === 'and' || op === 'or' || level >= 6;
      const [left, right] = isChain ? [level, level + 1] : [6, 6];
      return `${at(0, left)} ${op} ${at(1, right)}`;
    }
  }
}

function operandText(operand: Expr | undefined, least: number, style: Style): string {
  if (operand === undefined) throw new Error('an operator lacks an operand');
  const text = expressionText(operand, style);
  const level = levelOf(operand);
  const isTorn = style.parentheses === 'all' ? level < primary : level < least;
  return isTorn ? `(${text})` : text;
}
