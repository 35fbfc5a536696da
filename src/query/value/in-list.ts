// `in`: membership in a list of constants.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { compareSql, isTimestampComparison, mayBeTime, transactionOf } from './comparison.js';
import { typedKinds, type TypedKind } from './typed-columns.js';
import { nullOf, presence, scalarKind, scalarValue, sharedAll, type Value } from './value.js';

/** An `or` of equalities, in which an element of another kind counts as false. */
export function isIn(operand: Value, list: readonly Value[]): Value {
  if (list.length === 0) return scalarValue('boolean', sql`false`);
  const constants = new Map<Column, Value[]>();
  const others: Value[] = [];
  for (const element of list) {
    const found = columnsOf(operand, element);
    if (found.length === 0) others.push(element);
    for (const column of found) {
      const alike = constants.get(column) ?? [];
      alike.push(element);
      constants.set(column, alike);
    }
  }
  return scalarValue(
    'boolean',
    sharedAll([operand, ...others], ([value = operand, ...elements]) =>
      isAmong(value, constants, elements),
    ),
  );
}

/** What is compared with a constant: the form of its kind, or the stored integer of a transaction id. */
type Column = TypedKind | 'timestamp' | 'transaction';

const columns = [...typedKinds, 'timestamp', 'transaction'] as const;

/** The columns in which the element can be looked up; none for an element that has to be compared on its own. */
function columnsOf(operand: Value, { literal, ...element }: Value): readonly Column[] {
  if (literal === undefined) return [];
  if (isTimestampComparison(operand, element)) return ['timestamp'];
  if (operand.transaction !== undefined) return idOf(literal) === null ? [] : ['transaction'];
  const times = mayBeTime(operand, element) ? (['timestamp'] as const) : [];
  return [...times, ...typedKinds.filter((each) => each === scalarKind(element))];
}

const idOf = (literal: Value['literal']): bigint | null =>
  typeof literal === 'string' ? transactionOf(literal) : null;

function isAmong(
  value: Value,
  constants: ReadonlyMap<Column, readonly Value[]>,
  others: readonly Value[],
): Sql {
  const found = columns.flatMap((column) => {
    const elements = constants.get(column);
    return elements === undefined ? [] : [{ column, test: among(value, column, elements) }];
  });
  const [only] = found;
  const kind = typedKinds.find((each) => each === only?.column);
  const isOneKind = kind !== undefined && found.length === 1 && scalarKind(value) === kind;
  if (only !== undefined && isOneKind && others.length === 0) return only.test;
  const tests = [
    ...found.map(({ test }) => sql`coalesce(${test}, false)`),
    ...others.map((element) => equalOrFalse(value, element)),
  ];
  const anyOf = tests.length === 0 ? sql`false` : sql`(${join(tests, ' OR ')})`;
  return sql`CASE WHEN ${presence(value)} IS NOT NULL THEN ${anyOf} END`;
}

/** An IN list: the engine looks values up in a hash table, while it tries equalities one by one. */
function among(value: Value, column: Column, elements: readonly Value[]): Sql {
  const { transaction } = value;
  if (column === 'transaction' && transaction !== undefined) {
    const ids = elements.map(({ literal }) => sql`${idOf(literal)}`);
    return sql`(${transaction} IN (${join(ids)}))`;
  }
  const form = column === 'transaction' ? 'string' : column;
  return sql`(${value.form(form)} IN (${join(elements.map((each) => each.form(form)))}))`;
}

function equalOrFalse(operand: Value, element: Value): Sql {
  if (element.kinds.length === 0) return nullOf('boolean');
  const equal = () => sql`coalesce(${compareSql('=', operand, element)}, false)`;
  if (element.literal !== undefined) return equal();
  return sql`CASE WHEN ${presence(element)} IS NOT NULL THEN ${equal()} END`;
}
