// `in`: membership in a list of constants.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { compareSql, isTimestampComparison } from './comparison.js';
import { typedKinds, type TypedKind } from './typed-columns.js';
import { nullOf, presence, scalarKind, scalarValue, sharedAll, type Value } from './value.js';

/** An `or` of equalities, in which an element of another kind counts as false. */
export function isIn(operand: Value, list: readonly Value[]): Value {
  if (list.length === 0) return scalarValue('boolean', sql`false`);
  const isConstant = (element: Value) => isPlainConstant(operand, element);
  const constants = list.filter(isConstant);
  const others = list.filter((element) => !isConstant(element));
  return scalarValue(
    'boolean',
    sharedAll([operand, ...others], ([value = operand, ...elements]) =>
      isAmong(value, constants, elements),
    ),
  );
}

function isAmong(value: Value, constants: readonly Value[], others: readonly Value[]): Sql {
  const kinds = typedKinds.filter((kind) => constants.some((each) => scalarKind(each) === kind));
  const [kind] = kinds;
  const isOneKind = kind !== undefined && kinds.length === 1 && scalarKind(value) === kind;
  if (isOneKind && others.length === 0) return amongConstants(value, kind, constants);
  const tests = [
    ...kinds.map((each) => sql`coalesce(${amongConstants(value, each, constants)}, false)`),
    ...others.map((element) => equalOrFalse(value, element)),
  ];
  const anyOf = tests.length === 0 ? sql`false` : sql`(${join(tests, ' OR ')})`;
  return sql`CASE WHEN ${presence(value)} IS NOT NULL THEN ${anyOf} END`;
}

/** An IN list: the engine looks values up in a hash table, while it tries equalities one by one. */
function amongConstants(value: Value, kind: TypedKind, constants: readonly Value[]): Sql {
  const ofKind = constants.filter((each) => scalarKind(each) === kind);
  return sql`(${value.facet(kind)} IN (${join(ofKind.map((each) => each.facet(kind)))}))`;
}

/** Equality with a constant, tested on the column of its kind. */
const isPlainConstant = (operand: Value, element: Value): boolean =>
  element.literal !== undefined &&
  typedKinds.some((kind) => kind === scalarKind(element)) &&
  operand.transaction === undefined &&
  !isTimestampComparison(operand, element);

function equalOrFalse(operand: Value, element: Value): Sql {
  if (element.kinds.length === 0) return nullOf('boolean');
  const equal = () => sql`coalesce(${compareSql('=', operand, element)}, false)`;
  if (element.literal !== undefined) return equal();
  return sql`CASE WHEN ${presence(element)} IS NOT NULL THEN ${equal()} END`;
}
