// Binds the names in an expression: fields, aliases and functions.
import { QueryError } from '../../errors.js';
import { aggregateFunctions, type AggregateFunction } from '../value/aggregates.js';
import type { Binary, CallExpr, Expr, PathExpr, Position, Step } from '../syntax/ast.js';
import { hasAggregate, type BoundExpr } from '../bound/bound-query.js';
import type { RowFields } from './sources.js';
import type { FieldPath } from '../bound/fields.js';
import { scalarFunctions } from '../value/functions.js';
import { limits } from '../syntax/limits.js';
import { didYouMean } from '../syntax/suggest.js';
import { partsOf, withOperands } from '../syntax/walk.js';

/** The names that an expression can refer to, which depend on its clause. */
export interface NameScope {
  readonly fields: RowFields;
  /** The expression of the alias with this name, or null. */
  alias(name: string, at: Position): BoundExpr | null;
  /** The member with this name from an `unpivot`, or null. */
  member(name: string, at: Position): BoundExpr | null;
  /** Whether aliases hide fields. They do over groups, which have no fields of rows. */
  readonly aliasesFirst: boolean;
  /** The reason why an aggregate is not allowed, or null. */
  readonly noAggregates: string | null;
  /** The reason why `any_span` is not allowed, or null. */
  readonly noSpans: string | null;
  /** Resolves any other name, or throws. */
  unknown(name: string, at: Position): BoundExpr;
}

export function bindExpression(expression: Expr, scope: NameScope): BoundExpr {
  const inside =
    scope.noSpans === null && !isLogical(expression) ? { ...scope, noSpans: onlyLogical } : scope;
  const bind = (child: Expr) => bindExpression(child, inside);
  switch (expression.kind) {
    case 'literal':
    case 'interval':
      return expression;
    case 'path':
      return bindPath(expression, scope);
    case 'call':
      return expression.name === 'any_span'
        ? bindAnySpan(expression, scope)
        : bindCall(expression, inside);
    default:
      if (expression.kind === 'binary') checkPattern(expression);
      return withOperands(expression, bind);
  }
}

const onlyLogical = "can be combined only with 'and', 'or' and 'not'";

const isLogical = (expression: Expr): boolean =>
  (expression.kind === 'binary' &&
    (expression.operator === 'and' || expression.operator === 'or')) ||
  (expression.kind === 'unary' && expression.operator === 'not');

function bindAnySpan(call: CallExpr, scope: NameScope): BoundExpr {
  if (scope.noSpans !== null) throw new QueryError(call.at, `any_span ${scope.noSpans}`);
  const [condition] = argumentsOf(call, 1, 1) as readonly [Expr];
  const inside = { ...scope, noSpans: 'is not allowed inside another one' };
  return { kind: 'anySpan', operand: bindExpression(condition, inside) };
}

function checkPattern({ operator, right }: Binary<Expr>): void {
  const isPattern = operator === 'like' || operator === 'ilike' || operator === 'match';
  if (!isPattern || right.kind !== 'literal' || typeof right.value !== 'string') return;
  if (right.value.length > limits.patternLength) {
    throw new QueryError(
      right.at,
      `the pattern of '${operator}' has ${right.value.length} characters, the limit is ${limits.patternLength}`,
    );
  }
}

function bindPath({ steps: [name, ...steps], at }: PathExpr, scope: NameScope): BoundExpr {
  const whole = scope.fields.cut?.has(name) === false ? ({ isWhole: true } as const) : {};
  const fieldAt = (path: FieldPath | null): BoundExpr | null =>
    path === null ? null : { kind: 'field', field: path[0], steps: path.slice(1), ...whole, at };
  const alias = () => scope.alias(name, at);
  const field = () => fieldAt(scope.fields.path(name)) ?? scope.member(name, at);
  const found =
    (scope.aliasesFirst ? (alias() ?? field()) : (field() ?? alias())) ??
    fieldAt(scope.fields.otherPath(name));
  return found === null ? scope.unknown(name, at) : below(found, steps);
}

function below(expression: BoundExpr, steps: readonly Step[]): BoundExpr {
  if (steps.length === 0) return expression;
  return expression.kind === 'field'
    ? { ...expression, steps: [...expression.steps, ...steps] }
    : { kind: 'extract', from: expression, steps };
}

function bindCall(call: CallExpr, scope: NameScope): BoundExpr {
  if (Object.hasOwn(aggregateFunctions, call.name)) {
    return bindAggregate(call, aggregateFunctions[call.name], scope);
  }
  if (call.name === 'search') return bindSearch(call, scope);
  const definition = Object.hasOwn(scalarFunctions, call.name)
    ? scalarFunctions[call.name]
    : undefined;
  if (definition === undefined) throw unknownFunction(call);
  const { minimum, maximum, check } = definition;
  const args = argumentsOf(call, minimum, maximum);
  const constants = args.map((arg) => (arg.kind === 'literal' ? arg.value : undefined));
  const problem = check?.(constants) ?? null;
  if (problem !== null) throw new QueryError(call.at, `${call.name}: ${problem}`);
  return { kind: 'call', name: call.name, args: args.map((arg) => bindExpression(arg, scope)) };
}

/** `search(x)`: whether any text of a row matches. An absent text does not match. */
function bindSearch(call: CallExpr, scope: NameScope): BoundExpr {
  const [pattern] = argumentsOf(call, 1, 1) as readonly [Expr];
  checkNoSearch(pattern);
  const right = bindExpression(pattern, scope);
  return scope.fields.searched
    .map(([field, ...steps]): BoundExpr => {
      const left: BoundExpr = { kind: 'field', field, steps, at: call.at };
      const test: BoundExpr = { kind: 'binary', operator: 'match', left, right };
      const no: BoundExpr = { kind: 'literal', value: false };
      return { kind: 'call', name: 'coalesce', args: [test, no] };
    })
    .reduce((left, each) => ({ kind: 'binary', operator: 'or', left, right: each }));
}

/** The pattern is copied for each field, so the copies would multiply with each level. */
function checkNoSearch(expression: Expr): void {
  if (expression.kind === 'call' && expression.name === 'search')
    throw new QueryError(expression.at, 'search is not allowed inside another one');
  partsOf(expression).forEach(checkNoSearch);
}

/** Functions of conditions, which only `filter` may use. */
export const filterFunctions = ['any_span', 'filter_spans'];

/** Names of these functions in other query languages. */
const synonyms: Readonly<Record<string, string>> = {
  average: 'avg',
  mean: 'avg',
  length: 'len',
  size: 'len',
  median: 'percentile',
  std: 'stddev',
  stddev_samp: 'stddev',
  ifnull: 'coalesce',
  uniq: 'count_distinct',
};

/** Functions of other query languages that are operators in this one. */
const operators: Readonly<Record<string, string>> = {
  if: 'condition ? value : other',
  iff: 'condition ? value : other',
  exists: 'x is not null',
  isnull: 'x is null',
};

function unknownFunction(call: CallExpr): QueryError {
  if (Object.hasOwn(operators, call.name))
    return new QueryError(
      call.at,
      `unknown function '${call.name}': write '${operators[call.name]}'`,
    );
  const synonym = Object.hasOwn(synonyms, call.name) ? synonyms[call.name] : undefined;
  if (synonym !== undefined) {
    return new QueryError(call.at, `unknown function '${call.name}' (did you mean '${synonym}'?)`);
  }
  if (call.name === 'filter_spans')
    return new QueryError(
      call.at,
      "filter_spans is allowed in 'filter' on its own or as an operand of 'and'",
    );
  const known = [
    ...Object.keys(aggregateFunctions),
    ...Object.keys(scalarFunctions),
    ...filterFunctions,
    'search',
  ];
  return new QueryError(call.at, `unknown function '${call.name}'${didYouMean(call.name, known)}`);
}

function argumentsOf(call: CallExpr, minimum: number, maximum: number): readonly Expr[] {
  if (call.args === 'star') throw new QueryError(call.at, `${call.name}(*): only count takes '*'`);
  const count = call.args.length;
  if (count < minimum || count > maximum) {
    const wanted =
      minimum === maximum
        ? String(minimum)
        : maximum === Infinity
          ? `at least ${minimum}`
          : `${minimum} to ${maximum}`;
    const noun = wanted === '1' ? 'argument' : 'arguments';
    throw new QueryError(call.at, `${call.name}: expected ${wanted} ${noun}, got ${count}`);
  }
  return call.args;
}

const nested = 'is not allowed inside another aggregate';

function bindAggregate(
  call: CallExpr,
  definition: AggregateFunction | undefined,
  scope: NameScope,
): BoundExpr {
  if (scope.noAggregates !== null) {
    throw new QueryError(call.at, `aggregate '${call.name}' ${scope.noAggregates}`);
  }
  if (call.args === 'star' && definition?.takesStar === true) {
    return { kind: 'aggregate', name: call.name, args: [], at: call.at };
  }
  const count = definition?.arguments ?? 1;
  const inside: NameScope = {
    ...scope,
    aliasesFirst: false,
    noAggregates: nested,
  };
  const args = argumentsOf(call, count, count).map((arg) => bindExpression(arg, inside));
  if (args.some(hasAggregate)) throw new QueryError(call.at, `an alias of an aggregate ${nested}`);
  const problem = definition?.check?.(args) ?? null;
  if (problem !== null) throw new QueryError(call.at, `${call.name}: ${problem}`);
  return { kind: 'aggregate', name: call.name, args, at: call.at };
}

/** NULL and a warning. An unknown field is not an error, since rows can have any field. */
export function unknownField(
  name: string,
  known: readonly string[],
  warnings: Set<string>,
): BoundExpr {
  warnings.add(`unknown field '${name}' is null in every row${didYouMean(name, known)}`);
  return { kind: 'literal', value: null };
}
