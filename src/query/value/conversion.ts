// Conversions between kinds of values. A value that cannot be converted is NULL.
import { sql, type Sql } from '../../duckdb/sql.js';
import { finite } from './finite.js';
import { bindOnce } from './share.js';
import { bucket, midnightOf, type QueryContext } from './time.js';
import { scalarValue, shared, type Value } from './value.js';

// The engine's casts also accept spaces, underscores, `inf` and the like.
const numericPattern = String.raw`[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?`;

/** Converts booleans to 0 and 1, and strings that spell a number. */
export function toNumber(value: Value): Value {
  if (!value.kinds.includes('string')) return scalarValue('number', finite(value.form('measure')));
  if (value.kinds.length === 1) return scalarValue('number', readNumber(value.form('string')));
  const either = (v: Value) =>
    sql`coalesce(${finite(v.form('measure'))}, ${readNumber(v.form('string'))})`;
  return scalarValue('number', shared(value, either));
}

const readNumber = (text: Sql): Sql =>
  bindOnce(
    text,
    (x) =>
      sql`CASE WHEN regexp_full_match(${x}, ${numericPattern}) THEN ${finite(sql`TRY_CAST(${x} AS DOUBLE)`)} END`,
  );

export const toInteger = (value: Value): Value => ({
  ...scalarValue('number', sql`trunc(${toNumber(value).form('number')})`),
  type: 'BIGINT',
});

/** Converts the strings `true` and `false` and the numbers 0 and 1. */
export const toBoolean = (value: Value): Value =>
  scalarValue(
    'boolean',
    shared(
      value,
      (v) =>
        sql`coalesce(${v.form('boolean')}, CASE WHEN ${v.form('string')} = 'true' OR ${v.form('number')} = 1 THEN true WHEN ${v.form('string')} = 'false' OR ${v.form('number')} = 0 THEN false END)`,
    ),
  );

/** A date without a time is a local day, which does not depend on the time zone. */
export function toDate(value: Value, context: QueryContext): Value {
  const day = (v: Value) => bucket('day', v.form('timestamp'), context).form('timestamp');
  const isPlain = !value.kinds.includes('string') || context.timeZone === 0;
  if (isPlain) return scalarValue('timestamp', day(value));
  const midnight = shared(
    value,
    (v) =>
      sql`CASE WHEN length(${v.form('string')}) <= 10 THEN ${midnightOf(v.form('timestamp'), context.timeZone)} ELSE ${day(v)} END`,
  );
  return scalarValue('timestamp', midnight);
}
