// The functions by name: what is not in the table declines.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { timeUnits, type TimeUnit } from '../syntax/ast.js';
import { isTimeUnit, type QueryContext } from '../value/time.js';
import { operators } from './operators.js';
import { decline } from './statement.js';
import { bucket, nowOf } from './time.js';
import { alike, as, measure, nameOf, nullValue, valueOf, type TrinoValue } from './value.js';

type TrinoFunction = (args: readonly TrinoValue[], context: QueryContext) => TrinoValue;

const ofNumber =
  (apply: (number: Sql) => Sql): TrinoFunction =>
  ([value = nullValue]) =>
    valueOf('number', apply(as('number', value)));

const bucketOf =
  (unit: TimeUnit): TrinoFunction =>
  ([value = nullValue], context) =>
    bucket(unit, value, context);

/** What DuckDB's side reads as a number: Java also takes `1d` and spaces, and refuses `inf`. \z, since $ matches before a last newline. */
const numeral = String.raw`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\z`;

function toNumber(value: TrinoValue): TrinoValue {
  if (value.kind !== 'string') return valueOf('number', measure(value));
  const number = sql`TRY_CAST(${value.sql} AS double)`;
  return valueOf(
    'number',
    sql`CASE WHEN regexp_like(${value.sql}, ${numeral}) AND is_finite(${number}) THEN ${number} END`,
  );
}

function length(value: TrinoValue): TrinoValue {
  if (value.kind === 'strings')
    return valueOf('number', sql`CAST(cardinality(${value.sql}) AS double)`);
  return valueOf('number', sql`CAST(length(${as('string', value)}) AS double)`);
}

export const functions: Readonly<Record<string, TrinoFunction>> = {
  coalesce: (args) => {
    const { kind, parts } = alike(args);
    return valueOf(kind, parts.length === 1 ? join(parts) : sql`coalesce(${join(parts)})`);
  },
  concat: (args) => {
    const parts = args.map((arg) => sql`coalesce(${as('string', textual(arg))}, '')`);
    return valueOf('string', sql`concat(${join([...parts, sql`''`])})`);
  },
  contains: ([container = nullValue, element = nullValue]) =>
    operators.includes?.(container, element) ?? decline('includes'),
  len: ([value = nullValue]) => length(value),
  abs: ofNumber((number) => sql`abs(${number})`),
  floor: ofNumber((number) => sql`floor(${number})`),
  ceil: ofNumber((number) => sql`ceil(${number})`),
  ...Object.fromEntries(
    timeUnits.filter((unit) => unit !== 'quarter').map((unit) => [unit, bucketOf(unit)]),
  ),
  date_trunc: ([unit = nullValue, value = nullValue], context) => {
    const name = typeof unit.literal === 'string' ? unit.literal.toLowerCase() : '';
    return isTimeUnit(name) ? bucket(name, value, context) : decline('date_trunc');
  },
  now: (_args, context) => nowOf(context),
  current_timestamp: (_args, context) => nowOf(context),
  current_date: (_args, context) => bucket('day', nowOf(context), context),
  to_string: ([value = nullValue]) => valueOf('string', as('string', textual(value))),
  to_number: ([value = nullValue]) => toNumber(value),
  to_integer: ([value = nullValue]) => valueOf('number', sql`truncate(${toNumber(value).sql})`),
};

/** Texts of numbers and times depend on who prints them. */
const textual = (value: TrinoValue): TrinoValue =>
  value.kind === 'string' || value.kind === 'null'
    ? value
    : decline(`the text of ${nameOf(value)}`);
