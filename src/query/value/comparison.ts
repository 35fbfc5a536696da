// Comparison operators on values of any kind: equality, order and membership.
import { emptySql, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { ComparisonOperator } from '../syntax/ast.js';
import { bindAll, bindOnce, isAtomic } from './share.js';
import { typedKinds, type TypedKind } from './typed-columns.js';
import {
  jsonForm,
  nullOf,
  presence,
  ranks,
  scalarKind,
  scalarValue,
  sharedAll,
  type Kind,
  type Value,
} from './value.js';

/** Parses a constant as a transaction id of 19 digits; null for any other text. */
export function transactionOf(text: string): bigint | null {
  const id = /^[1-9]\d{18}$/.test(text) ? BigInt(text) : 0n;
  return id > 0n && id < 2n ** 63n ? id : null;
}

/** The operators as SQL, of both engines. */
export const comparisonSigns = {
  '=': sql`=`,
  '!=': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
} as const satisfies Record<ComparisonOperator, Sql>;

/** NULL unless both values have the same kind. Arrays and objects have no order, only equality. */
export function compare(operator: ComparisonOperator, left: Value, right: Value): Value {
  return scalarValue('boolean', compareSql(operator, left, right));
}

export function compareSql(operator: ComparisonOperator, left: Value, right: Value): Sql {
  const infix = (a: Sql, b: Sql) => sql`(${a} ${comparisonSigns[operator]} ${b})`;
  if (isTimestampComparison(left, right)) {
    const [a, b] = [left.form('timestamp'), right.form('timestamp')];
    return operator === '!=' ? differ(a, b) : infix(a, b);
  }
  if (mayBeTime(left, right))
    return both(left, right, (a, b) => {
      const times = infix(a.form('timestamp'), b.form('timestamp'));
      return sql`CASE WHEN ${eitherIsTime([a, b])} THEN ${times} ELSE ${compareKinds(operator, a, b)} END`;
    });
  return compareKinds(operator, left, right);
}

function compareKinds(operator: ComparisonOperator, left: Value, right: Value): Sql {
  const infix = (a: Sql, b: Sql) => sql`(${a} ${comparisonSigns[operator]} ${b})`;
  const [leftId, rightId] = [transactionId(left), transactionId(right)];
  if (leftId !== null && rightId !== null) return infix(leftId, rightId);
  const isEquality = operator === '=' || operator === '!=';
  const common = left.kinds.filter((kind) => right.kinds.includes(kind));
  const composite = common.some((kind) => kind === 'array' || kind === 'object');
  if (isEquality && composite) return compareCanonical(infix, left, right);
  const ordered = typedKinds.filter((kind) => common.includes(kind));
  const test = (a: Value, b: Value) => (kind: TypedKind) => infix(a.form(kind), b.form(kind));
  const [only] = ordered;
  if (only === undefined) return nullOf('boolean');
  if (ordered.length === 1) return test(left, right)(only);
  return both(left, right, (a, b) => sql`coalesce(${join(ordered.map(test(a, b)))})`);
}

/** Whether one of the values is a timestamp, and not a string that spells one: BOOLEAN. One of them has that kind. */
const eitherIsTime = (values: readonly Value[]): Sql => {
  const possible = values.filter(({ kinds }) => kinds.includes('timestamp'));
  const tests = possible.map((value) => sql`starts_with(${value.form('tagged')}, 'T')`);
  return join(tests, ' OR ');
};

/** Equality (IS NOT DISTINCT FROM): null equals null, and the result is never NULL. */
export const same = (left: Value, right: Value): Value =>
  scalarValue(
    'boolean',
    both(
      left,
      right,
      (a, b) =>
        sql`coalesce(${compareSql('=', a, b)}, (${presence(a)} IS NULL AND ${presence(b)} IS NULL))`,
    ),
  );

/** Tests for NULL first: the engine rewrites `date_trunc(…, x) <> constant` to true for a NULL x. */
const differ = (left: Sql, right: Sql): Sql =>
  isAtomic(left) && isAtomic(right)
    ? sql`(${left} <> ${right})`
    : bindAll(
        [left, right],
        ([a = left, b = right]) =>
          sql`CASE WHEN ${a} IS NOT NULL AND ${b} IS NOT NULL THEN ${a} <> ${b} END`,
      );

const both = (left: Value, right: Value, body: (left: Value, right: Value) => Sql): Sql =>
  sharedAll([left, right], ([a = left, b = right]) => body(a, b));

const compareCanonical = (infix: (a: Sql, b: Sql) => Sql, left: Value, right: Value): Sql =>
  both(
    left,
    right,
    (a, b) =>
      sql`CASE WHEN ${a.form('rank')} = ${b.form('rank')} THEN ${infix(a.form('canonical'), b.form('canonical'))} END`,
  );

const mayBeTimestamp = ({ kinds }: Value): boolean =>
  kinds.includes('string') || kinds.includes('timestamp');

/** Timestamps compare with timestamps and with strings in ISO 8601. */
export function isTimestampComparison(left: Value, right: Value): boolean {
  const one = scalarKind(left) === 'timestamp' || scalarKind(right) === 'timestamp';
  return one && mayBeTimestamp(left) && mayBeTimestamp(right);
}

/** Whether one side can be a time or of another kind, and the other side a time or a string. */
export const mayBeTime = (left: Value, right: Value): boolean =>
  [...left.kinds, ...right.kinds].includes('timestamp') &&
  mayBeTimestamp(left) &&
  mayBeTimestamp(right);

/** The stored integer, by which row groups can be skipped. Texts of 19 digits sort as these integers do. */
function transactionId({ transaction, literal }: Value): Sql | null {
  if (transaction !== undefined) return transaction;
  const id = typeof literal === 'string' ? transactionOf(literal) : null;
  return id === null ? null : sql`${id}`;
}

const contains = (list: Sql, element: Sql): Sql => sql`list_contains(${list}, ${element})`;

/** Whether an array has the value as an element, or an object has it as a value or has all of its members. */
export function includes(container: Value, value: Value): Value {
  return scalarValue('boolean', includesSql(container, value));
}

function includesSql(container: Value, value: Value): Sql {
  if (!container.kinds.some((kind) => kind === 'array' || kind === 'object')) {
    return nullOf('boolean');
  }
  if (container.strings !== undefined && scalarKind(value) === 'string') {
    return contains(container.strings, value.form('string'));
  }
  return both(container, value, includesAny);
}

function includesAny(container: Value, value: Value): Sql {
  const [kind] = value.kinds;
  const cases = value.kinds
    .filter((kind) => kind in membership)
    .map((kind) => sql` WHEN ${word(ranks[kind])} THEN ${member(kind, container, value)}`);
  if (cases.length === 0) return nullOf('boolean');
  if (value.literal !== undefined && kind !== undefined) {
    return sql`CASE WHEN ${container.form('rank')} >= ${word(ranks.array)} THEN ${member(kind, container, value)} END`;
  }
  const tests = cases.reduce((all, next) => sql`${all}${next}`, emptySql);
  return sql`CASE WHEN ${container.form('rank')} >= ${word(ranks.array)} THEN CASE ${value.form('rank')}${tests} END END`;
}

const member = (kind: Kind, container: Value, value: Value): Sql =>
  (membership[kind] ?? (() => nullOf('boolean')))(container, value);

/** Tests for membership by the kind of the value, which determines how much of the container is parsed. */
const membership: Partial<Record<Kind, (container: Value, value: Value) => Sql>> = {
  boolean: (container, value) => contains(container.form('elements'), value.form('raw')),
  string: (container, value) => contains(container.form('elements'), value.form('canonical')),
  timestamp: (container, value) => contains(container.form('elements'), value.form('canonical')),
  number: (container, value) =>
    contains(
      sql`list_transform(${container.form('elements')}, lambda x: TRY_CAST(x AS DOUBLE))`,
      value.form('number'),
    ),
  array: (container, value) => contains(canonicalElements(container), respelt(value)),
  object: (container, value) =>
    sql`(${contains(canonicalElements(container), respelt(value))} OR CASE WHEN ${container.form('rank')} = 5 THEN list_has_all(${members(container)}, ${members(value)}) ELSE false END)`,
};

/** The value in the spelling of parts that the engine extracts, for comparison with these. */
const respelt = (value: Value): Sql =>
  sql`CAST(json_extract(${value.form('canonical')}, '$') AS VARCHAR)`;

const canonicalElements = (container: Value): Sql =>
  jsonForm(container.form('canonical'), 'elements');

const members = (object: Value): Sql =>
  bindOnce(
    object.form('canonical'),
    (text) => sql`list_zip(json_keys(${text}), CAST(json_extract(${text}, '$.*') AS VARCHAR[]))`,
  );
