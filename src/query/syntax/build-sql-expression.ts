// Builds expressions that only SQL has, BETWEEN, CASE and CAST, from the nodes of the others.
import { QueryError } from '../../errors.js';
import type { Expr } from './ast.js';
import {
  type BetweenExprContext,
  BinaryBoundContext,
  type CasePrimaryContext,
  NegateBoundContext,
  PrimaryBoundContext,
  type BoundContext,
  type CastPrimaryContext,
  type ExprContext,
  type PrimaryContext,
} from '../generated/QueryParser.js';
import { negated } from './canonical-nodes.js';
import { positionOf, positionOfToken } from './position.js';

/** Builds the expressions inside. */
type Build = (context: ExprContext | PrimaryContext) => Expr;

/** `x >= low and x <= high`. */
export function getBetween(context: BetweenExprContext, build: Build): Expr {
  const at = positionOfToken(context.BETWEEN().symbol);
  const operand = build(context.expr());
  const [low, high] = context.bound().map((bound) => buildBound(bound, build));
  if (low === undefined || high === undefined) throw new Error('bound is missing');
  return {
    kind: 'binary',
    operator: 'and',
    left: { kind: 'binary', operator: '>=', left: operand, right: low, at },
    right: { kind: 'binary', operator: '<=', left: operand, right: high, at },
    at,
  };
}

function buildBound(context: BoundContext, build: Build): Expr {
  const at = positionOf(context);
  if (context instanceof PrimaryBoundContext) return build(context.primary());
  if (context instanceof NegateBoundContext) return negated(buildBound(context.bound(), build), at);
  if (!(context instanceof BinaryBoundContext)) throw new Error(`no AST for ${context.getText()}`);
  const [left, right] = context.bound().map((bound) => buildBound(bound, build));
  if (left === undefined || right === undefined) throw new Error('operand is missing');
  const operator = context.getChild(1)?.getText() as '+' | '-' | '*' | '/' | '%';
  return { kind: 'binary', operator, left, right, at };
}

/** `CASE WHEN c THEN x ELSE y END` is `c ? x : y`. With an operand, each condition is an equality with it. */
export function getCase(context: CasePrimaryContext, build: Build): Expr {
  const at = positionOf(context);
  const otherwise = context.ELSE();
  const all = context.expr().map(build);
  const last: Expr = otherwise === null ? { kind: 'literal', value: null, at } : all.at(-1)!;
  const operand = all.length > (otherwise === null ? 0 : 1) ? (all[0] ?? null) : null;
  const branches = context.caseBranch();
  return branches.reduceRight((rest: Expr, branch): Expr => {
    const [when, then] = branch.expr().map(build);
    if (when === undefined || then === undefined) throw new Error('branch is missing');
    const position = positionOf(branch);
    const condition: Expr =
      operand === null
        ? when
        : { kind: 'binary', operator: '=', left: operand, right: when, at: position };
    return { kind: 'conditional', condition, whenTrue: then, otherwise: rest, at: position };
  }, last);
}

const conversions: Readonly<Record<string, string>> = {
  text: 'to_string',
  varchar: 'to_string',
  string: 'to_string',
  char: 'to_string',
  number: 'to_number',
  double: 'to_number',
  float: 'to_number',
  real: 'to_number',
  numeric: 'to_number',
  decimal: 'to_number',
  integer: 'to_integer',
  int: 'to_integer',
  bigint: 'to_integer',
  smallint: 'to_integer',
  boolean: 'to_boolean',
  bool: 'to_boolean',
  date: 'to_date',
  timestamp: 'to_datetime',
  timestamptz: 'to_datetime',
  datetime: 'to_datetime',
};

/** `CAST(x AS type)` is the function that converts to the type. */
export function getCast(context: CastPrimaryContext, build: Build): Expr {
  const type = context.word();
  const name = type.getText().toLowerCase();
  if (!Object.hasOwn(conversions, name))
    throw new QueryError(
      positionOf(type),
      `unknown type '${type.getText()}': expected one of ${Object.keys(conversions).join(', ')}`,
    );
  return {
    kind: 'call',
    name: conversions[name] ?? '',
    args: [build(context.expr())],
    at: positionOf(context),
  };
}
