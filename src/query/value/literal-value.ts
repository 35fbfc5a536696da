// Constants of a query as values. Every constant becomes a parameter of the statement.
import { sql } from '../../duckdb/sql.js';
import { canonicalJson } from '../../json/canonical.js';
import type { JsonValue } from '../../json/json.js';
import { isJsonObject, membersOf, plainJson } from '../../json/tree.js';
import type { LiteralValue } from '../syntax/ast.js';
import {
  canonicalValue,
  nullOf,
  nullValue,
  scalarValue,
  type ValueForm,
  type Value,
} from './value.js';

export function literalValue(literal: LiteralValue): Value {
  if (literal === null) return nullValue;
  if (typeof literal === 'boolean') return { ...scalarValue('boolean', sql`${literal}`), literal };
  if (typeof literal === 'number') return numberLiteral(literal);
  if (typeof literal === 'string') return stringLiteral(literal);
  const json = literalText(literal);
  const value = canonicalValue(sql`${canonicalJson(json)}`, [
    Array.isArray(literal) ? 'array' : 'object',
  ]);
  const form = (name: ValueForm) => (name === 'json' ? sql`${json}` : value.form(name));
  return { kinds: value.kinds, form, isAtomic: true, literal };
}

/** The constant for a JSON value, with the order of its keys. */
export function jsonLiteral(value: JsonValue): LiteralValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(jsonLiteral);
  if (!isJsonObject(value)) return plainJson(value) as LiteralValue;
  return new Map(Array.from(membersOf(value), ([key, part]) => [key, jsonLiteral(part)]));
}

/** The JSON text of a constant. A number in rows and filters that no double holds is `1e999` or `-1e999`. */
export function literalText(literal: LiteralValue): string {
  if (Array.isArray(literal)) {
    return `[${(literal as readonly LiteralValue[]).map(literalText).join()}]`;
  }
  if (literal instanceof Map) {
    return `{${Array.from(literal, ([key, part]) => `${JSON.stringify(key)}:${literalText(part)}`).join()}}`;
  }
  if (literal === Infinity) return '1e999';
  return literal === -Infinity ? '-1e999' : JSON.stringify(literal);
}

const numberLiteral = (literal: number): Value => ({
  ...scalarValue('number', sql`${literal}`),
  type: Number.isSafeInteger(literal) ? 'BIGINT' : 'DOUBLE',
  literal,
});

function stringLiteral(literal: string): Value {
  const value = scalarValue('string', sql`${literal}`);
  const form = (name: ValueForm) =>
    name === 'timestamp' ? timestampLiteral(literal) : value.form(name);
  return { kinds: value.kinds, form, isAtomic: true, literal };
}

/** Parsed here instead of by the engine, so that the engine can skip row groups by the constant. */
function timestampLiteral(text: string) {
  const normalised = utcTimestamp(text);
  return normalised === null ? nullOf('timestamp') : sql`CAST(${normalised} AS TIMESTAMP)`;
}

const iso =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?)?)?$/;

/** The instant in UTC as `2024-01-01T05:00:00.123456`; null if the text is not ISO 8601 or not in the years 0 to 9999. */
export function utcTimestamp(text: string): string | null {
  const match = iso.exec(text);
  if (match === null) return null;
  const [, year, month = '01', day = '01', hour = '0', minute = '0', second = '0', fraction = ''] =
    match;
  const [sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(8);
  const local = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const isReal = local.getUTCDate() === Number(day) && +hour < 24 && +minute < 60 && +second < 60;
  if (!isReal) return null;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  local.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  if (local.getUTCFullYear() < 0 || local.getUTCFullYear() > 9999) return null;
  return `${local.toISOString().slice(0, 19)}.${fraction.padEnd(6, '0').slice(0, 6)}`;
}
