// Evaluates a bound expression to a value: applies operators and functions to the values of their operands.
import { sql } from '../../duckdb/sql.js';
import { assertNever } from '../../errors.js';
import type { IntervalUnit, Step } from '../syntax/ast.js';
import type { BoundExpr, MemberExpr } from '../bound/bound-query.js';
import { operandsOf } from '../bound/operands.js';
import { commonType } from './column-type.js';
import { mayBeRespelt } from './exact-text.js';
import { isIn } from './in-list.js';
import { scalarFunctions } from './functions.js';
import { exactValue, extractedValue } from './json-path.js';
import { literalValue } from './literal-value.js';
import { binaryOperators, isNull, logical, negate, not } from './operators.js';
import { bindOnce } from './share.js';
import type { QueryContext } from './time.js';
import { choice, jsonValue, scalarValue, type Value } from './value.js';

/** The values of the leaves of an expression: fields in rows, keys and results in groups. */
export interface Scope {
  readonly context: QueryContext;
  field(name: string, steps: readonly Step[]): Value;
  member(index: number, part: MemberExpr['part']): Value;
  key(index: number): Value;
  result(index: number): Value;
}

export function evaluate(expression: BoundExpr, scope: Scope): Value {
  const value = (child: BoundExpr) => evaluate(child, scope);
  switch (expression.kind) {
    case 'literal':
      return literalValue(expression.value);
    case 'interval':
      return intervalValue(expression.count, expression.unit);
    case 'field':
      return scope.field(expression.field, expression.steps);
    case 'member':
      return scope.member(expression.index, expression.part);
    case 'key':
      return scope.key(expression.index);
    case 'result':
      return scope.result(expression.index);
    case 'extract':
      return extracted(value(expression.from), expression.steps);
    case 'call':
      return call(expression.name, expression.args.map(value), scope.context);
    case 'unary':
      return (expression.operator === 'not' ? not : negate)(value(expression.operand));
    case 'binary': {
      const { operator } = expression;
      return operator === 'and' || operator === 'or'
        ? logical(operator, operandsOf(expression, operator).map(value))
        : binaryOperators[operator](value(expression.left), value(expression.right));
    }
    case 'in':
      return isIn(value(expression.operand), expression.list.map(value));
    case 'isNull':
      return isNull(value(expression.operand));
    case 'conditional':
      return conditional(
        value(expression.condition),
        value(expression.whenTrue),
        value(expression.otherwise),
      );
    case 'anySpan':
      throw new Error('any_span is a condition of traces');
    case 'aggregate':
      throw new Error(`aggregate ${expression.name} is not planned`);
    default:
      return assertNever(expression);
  }
}

const conditional = (condition: Value, whenTrue: Value, otherwise: Value): Value => ({
  ...choice(condition.form('boolean'), whenTrue, otherwise),
  ...commonType([whenTrue, otherwise]),
});

function extracted(from: Value, steps: readonly Step[]): Value {
  const part = jsonValue(extractedValue(from.form('raw'), steps));
  const { lossless } = from;
  if (lossless === undefined) return part;
  const json = () =>
    bindOnce(
      part.form('json'),
      (text) =>
        sql`CASE WHEN ${lossless} AND ${mayBeRespelt(text)} THEN ${exactValue(from.form('json'), steps)} ELSE ${text} END`,
    );
  return { ...part, form: (name) => (name === 'json' ? json() : part.form(name)) };
}

function call(name: string, args: readonly Value[], context: QueryContext): Value {
  const definition = scalarFunctions[name];
  if (definition === undefined) throw new Error(`function ${name} is not bound`);
  return definition.apply(args, context);
}

const intervalValue = (count: number, unit: IntervalUnit): Value =>
  scalarValue('interval', sql`TRY_CAST(${`${count} ${unit}`} AS INTERVAL)`);
