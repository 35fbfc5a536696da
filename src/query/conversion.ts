// Conversions between kinds; what cannot be converted is NULL.
import { sql } from '../duckdb/sql.js';
import { bucket, type QueryContext } from './time.js';
import { choice, scalarValue, type Value } from './value.js';

// The engine also reads spaces, underscores, `inf` and the like.
const numericPattern = String.raw`[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?`;

/** Numbers, booleans as 0 and 1, and strings that hold a number. */
export function toNumber(value: Value): Value {
  if (!value.kinds.includes('string')) return scalarValue('number', value.facet('measure'));
  const text = value.facet('string');
  const read = sql`CASE WHEN regexp_full_match(${text}, ${numericPattern}) THEN TRY_CAST(${text} AS DOUBLE) END`;
  if (value.kinds.length === 1) return scalarValue('number', read);
  return scalarValue('number', sql`coalesce(${value.facet('measure')}, ${read})`);
}

export const toInteger = (value: Value): Value =>
  scalarValue('number', sql`trunc(${toNumber(value).facet('number')})`);

/** Booleans, the strings `true` and `false`, and the numbers 0 and 1. */
export const toBoolean = (value: Value): Value =>
  scalarValue(
    'boolean',
    sql`coalesce(${value.facet('boolean')}, CASE ${value.facet('string')} WHEN 'true' THEN true WHEN 'false' THEN false END, CASE ${value.facet('number')} WHEN 0 THEN false WHEN 1 THEN true END)`,
  );

/** A date without time names a local day, and is that day whatever the time zone. */
export function toDate(value: Value, context: QueryContext): Value {
  const timestamp = value.facet('timestamp');
  const day = bucket('day', timestamp, context);
  if (!value.kinds.includes('string') || context.tzOffsetMinutes === 0) return day;
  const isDate = sql`length(${value.facet('string')}) = 10`;
  const offset = sql`to_minutes(${BigInt(context.tzOffsetMinutes)})`;
  const midnight = scalarValue('timestamp', sql`(${timestamp} + ${offset})`);
  return choice([{ condition: isDate, value: midnight }], day);
}
