// The scalar functions by name: arity and implementation.
import { join, sql, word, type Sql } from '../../duckdb/sql.js';
import { commonType, typeOf } from './column-type.js';
import { compareSql, includes } from './comparison.js';
import { bindAll, bindOnce } from './share.js';
import { toBoolean, toDate, toInteger, toNumber } from './conversion.js';
import { extractAt, pathProblem } from './json-extract.js';
import { bucket, constantTimestamp, isTimeUnit, type QueryContext } from './time.js';
import { timeUnits, type TimeUnit } from '../syntax/ast.js';
import {
  nullValue,
  presence,
  scalarKind,
  scalarValue,
  shared,
  sharedAll,
  sortable,
  sortableValue,
  unionOfKinds,
  type ValueForm,
  type ScalarKind,
  type Value,
} from './value.js';
import type { LiteralValue } from '../syntax/ast.js';

export interface ScalarFunction {
  readonly minimum: number;
  readonly maximum: number;
  readonly apply: (args: readonly Value[], context: QueryContext) => Value;
  /** The reason why these constants are not allowed as arguments, or null. An argument that is not constant is `undefined`. */
  readonly check?: (constants: readonly (LiteralValue | undefined)[]) => string | null;
}

/** A function whose arguments are all of one kind. It is NULL for NULL and for values of other kinds. */
const strict = (
  kinds: readonly Exclude<ScalarKind, 'interval'>[],
  result: ScalarKind,
  template: (...args: Sql[]) => Sql,
): ScalarFunction => ({
  minimum: kinds.length,
  maximum: kinds.length,
  apply: (args) =>
    scalarValue(
      result,
      template(...args.map((value, index) => value.form(kinds[index] ?? 'string'))),
    ),
});

/** A function of one value of any kind. */
const ofOne = (apply: (value: Value, context: QueryContext) => Value): ScalarFunction => ({
  minimum: 1,
  maximum: 1,
  apply: ([value = nullValue], context) => apply(value, context),
});

const ofTwo = (apply: (first: Value, second: Value) => Value): ScalarFunction => ({
  minimum: 2,
  maximum: 2,
  apply: ([first = nullValue, second = nullValue]) => apply(first, second),
});

const withoutArguments = (apply: (context: QueryContext) => Value): ScalarFunction => ({
  minimum: 0,
  maximum: 0,
  apply: (_args, context) => apply(context),
});

const ofAny = (apply: (values: readonly Value[]) => Value): ScalarFunction => ({
  minimum: 1,
  maximum: Infinity,
  apply,
});

/** The least or greatest argument in the order of `sort`. */
const extreme = (name: 'least' | 'greatest'): ScalarFunction =>
  ofAny((values) => {
    const kinds = unionOfKinds(values);
    const kind = scalarKind({ ...nullValue, kinds });
    const args = values.map((value) => (kind === null ? sortable(value) : value.form(kind)));
    const found = sql`${word(name)}(${join(args)})`;
    const value = kind === null ? sortableValue(found, kinds) : scalarValue(kind, found);
    return { ...value, ...commonType(values) };
  });

/** The largest power of ten that a double holds exactly. With larger ones, the engine rounds to a neighbouring double. */
const exactPower = 22;

const rounded: ScalarFunction = {
  minimum: 1,
  maximum: 2,
  apply: ([value = nullValue, digits]) => {
    const number = value.form('number');
    if (digits === undefined) return scalarValue('number', sql`round(${number})`);
    const wanted = digits.form('number');
    const nearest = bindAll([number, wanted], ([x = number, d = wanted]) => {
      const places = sql`TRY_CAST(${d} AS INTEGER)`;
      return sql`CASE WHEN ${d} > ${BigInt(exactPower)} THEN ${x} ELSE round(${x}, ${places}) END`;
    });
    return scalarValue('number', nearest);
  },
};

const length = (value: Value): Value => ({
  ...scalarValue('number', sql`CAST(${lengthSql(value)} AS DOUBLE)`),
  type: 'BIGINT',
});

function lengthSql(value: Value): Sql {
  if (value.strings !== undefined) return sql`len(${value.strings})`;
  if (scalarKind(value) !== null) return sql`length(${value.form('string')})`;
  return shared(
    value,
    (v) =>
      sql`CASE ${v.form('rank')} WHEN 3 THEN length(${v.form('string')}) WHEN 4 THEN json_array_length(${v.form('raw')}) WHEN 5 THEN len(json_keys(${v.form('raw')})) END`,
  );
}

const coalesce = (values: readonly Value[]): Value => {
  const [only] = values;
  if (only !== undefined && values.length === 1) return only;
  const form = (name: ValueForm) => firstForm(values, name);
  return { kinds: unionOfKinds(values), isAtomic: false, form, ...commonType(values) };
};

/** The form of the first value that is not NULL. No lambda has another value in its body. */
function firstForm(values: readonly Value[], name: ValueForm): Sql {
  const others = values.slice(0, -1);
  const last = values.at(-1) ?? nullValue;
  if (others.every(({ isAtomic }) => isAtomic)) {
    const cases = others.map((v) => sql`WHEN ${presence(v)} IS NOT NULL THEN ${v.form(name)}`);
    return sql`CASE ${join(cases, ' ')} ELSE ${last.form(name)} END`;
  }
  if (others.every((value) => name === (scalarKind(value) ?? 'raw')))
    return sql`coalesce(${join(values.map((value) => value.form(name)))})`;
  // Lists, because the form of a value can be NULL although the value is not.
  const lists = others.map((value) =>
    shared(value, (v) => sql`CASE WHEN ${presence(v)} IS NOT NULL THEN [${v.form(name)}] END`),
  );
  return sql`coalesce(${join(lists)}, [${last.form(name)}])[1]`;
}

const nullif = (value: Value, other: Value): Value => ({
  ...typeOf(value),
  kinds: value.kinds,
  isAtomic: false,
  form: (name) =>
    sharedAll(
      [value, ofKind(scalarKind(value), other)],
      ([v = value, o = other]) =>
        sql`CASE WHEN ${compareSql('=', v, o)} THEN ${nullValue.form(name)} ELSE ${v.form(name)} END`,
    ),
});

/** The value without its other kinds. A time also equals strings, so a value that may be one keeps them. */
const ofKind = (kind: ScalarKind | null, value: Value): Value =>
  kind === null ||
  value.isAtomic ||
  !value.kinds.includes(kind) ||
  value.kinds.includes('timestamp')
    ? value
    : scalarValue(kind, value.form(kind));

const bucketOf = (unit: TimeUnit): ScalarFunction =>
  ofOne((value, context) => bucket(unit, value.form('timestamp'), context));

/** The value of a constant string. */
const textOf = ({ literal }: Value): string => (typeof literal === 'string' ? literal : '');

const dateTrunc: ScalarFunction = {
  minimum: 2,
  maximum: 2,
  check: ([unit]) =>
    typeof unit === 'string' && isTimeUnit(unit.toLowerCase())
      ? null
      : `the first argument is one of ${timeUnits.map((each) => `'${each}'`).join(', ')}`,
  apply: ([unit = nullValue, value = nullValue], context) => {
    const name = textOf(unit).toLowerCase();
    return isTimeUnit(name) ? bucket(name, value.form('timestamp'), context) : nullValue;
  },
};

const jsonExtract: ScalarFunction = {
  minimum: 2,
  maximum: 2,
  check: ([, path]) => pathProblem(path),
  apply: ([value = nullValue, path = nullValue]) => extractAt(value, textOf(path)),
};

/**
 * MD5 of the canonical text of a value, as 32 hex digits. The text is that of JavaScript; the engine spells some numbers and
 * escapes differently.
 */
const hashOf = (value: Value): Value =>
  scalarValue(
    'string',
    bindOnce(
      value.form('canonical'),
      (text) =>
        sql`md5(CASE WHEN contains('-0123456789', left(${text}, 1)) OR (starts_with(${text}, '"') AND contains(${text}, '\\u')) THEN json_canonical(${text}) ELSE ${text} END)`,
    ),
  );

const now = withoutArguments(({ nowMicros }) => constantTimestamp(nowMicros));

export const scalarFunctions: Readonly<Record<string, ScalarFunction>> = {
  lower: strict(['string'], 'string', (text) => sql`lower(${text})`),
  upper: strict(['string'], 'string', (text) => sql`upper(${text})`),
  concat: ofAny((values) =>
    scalarValue('string', sql`concat(${join(values.map((value) => value.form('text')))})`),
  ),
  len: ofOne(length),
  contains: ofTwo(includes),
  json_extract: jsonExtract,
  hash: ofOne(hashOf),

  coalesce: ofAny(coalesce),
  nullif: ofTwo(nullif),
  least: extreme('least'),
  greatest: extreme('greatest'),

  round: rounded,
  abs: strict(['number'], 'number', (number) => sql`abs(${number})`),
  floor: strict(['number'], 'number', (number) => sql`floor(${number})`),
  ceil: strict(['number'], 'number', (number) => sql`ceil(${number})`),

  second: bucketOf('second'),
  minute: bucketOf('minute'),
  hour: bucketOf('hour'),
  day: bucketOf('day'),
  week: bucketOf('week'),
  month: bucketOf('month'),
  year: bucketOf('year'),
  date_trunc: dateTrunc,
  now,
  current_timestamp: now,
  current_date: withoutArguments((context) =>
    bucket('day', constantTimestamp(context.nowMicros).form('timestamp'), context),
  ),

  to_string: ofOne((value) => scalarValue('string', value.form('text'))),
  to_number: ofOne(toNumber),
  to_integer: ofOne(toInteger),
  to_boolean: ofOne(toBoolean),
  to_date: ofOne(toDate),
  to_datetime: ofOne((value) => scalarValue('timestamp', value.form('timestamp'))),
};
