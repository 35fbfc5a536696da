// The value of an expression as SQL of Trino. Unlike the values of DuckDB's SQL, it has one kind; whatever could have several declines.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { LiteralValue } from '../syntax/ast.js';
import { decline } from './statement.js';

/** `json` is the text of a whole JSON field, which can hold any kind; `null` is NULL. */
export type Kind = 'boolean' | 'number' | 'string' | 'timestamp' | 'strings' | 'json' | 'null';

export interface TrinoValue {
  readonly kind: Kind;
  readonly sql: Sql;
  /** Set for constants. */
  readonly literal?: LiteralValue;
  /** Set for results of arithmetic: the double, which may be infinite or not a number. */
  readonly unchecked?: Sql;
}

export const valueOf = (kind: Kind, native: Sql): TrinoValue => ({ kind, sql: native });

export const nullValue: TrinoValue = {
  kind: 'null',
  sql: sql`CAST(NULL AS boolean)`,
  literal: null,
};

const typedNulls = {
  boolean: nullValue.sql,
  number: sql`CAST(NULL AS double)`,
  string: sql`CAST(NULL AS varchar)`,
  timestamp: sql`CAST(NULL AS timestamp(6))`,
  strings: sql`CAST(NULL AS array(varchar))`,
  json: sql`CAST(NULL AS varchar)`,
  null: nullValue.sql,
} as const satisfies Record<Kind, Sql>;

export const nullOf = (kind: Kind): Sql => typedNulls[kind];

const names = {
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  timestamp: 'a time',
  strings: 'a list of strings',
  json: 'a whole JSON field',
  null: 'null',
} as const satisfies Record<Kind, string>;

export const nameOf = ({ kind }: TrinoValue): string => names[kind];

/** Kinds of which no value is of another kind, too. A time is a string as well, and JSON can be anything. */
const plain: ReadonlySet<Kind> = new Set(['boolean', 'number', 'string', 'strings', 'null']);

/** The value as the kind; NULL if it is of another one. @throws Declined if that is not known */
export function as(kind: Kind, value: TrinoValue): Sql {
  if (value.kind === kind) return value.sql;
  const isKnown = plain.has(value.kind) && (kind !== 'timestamp' || value.kind !== 'string');
  return isKnown ? nullOf(kind) : decline(`${nameOf(value)} as ${names[kind]}`);
}

/** A number, or a boolean as 0 or 1; NULL for any other value. */
export const measure = (value: TrinoValue): Sql =>
  value.kind === 'boolean' ? sql`CAST(${value.sql} AS double)` : as('number', value);

/** The kind of values that can be sorted, grouped and compared. @throws Declined for others */
export function scalar(value: TrinoValue, purpose: string): TrinoValue {
  return value.kind === 'json' || value.kind === 'strings'
    ? decline(`${nameOf(value)} ${purpose}`)
    : value;
}

/** The one kind of the values, and their SQL. @throws Declined for several kinds */
export function alike(values: readonly TrinoValue[]): { kind: Kind; parts: readonly Sql[] } {
  const kinds = new Set(values.map(({ kind }) => kind).filter((kind) => kind !== 'null'));
  const [kind = 'null'] = kinds;
  if (kinds.size > 1) decline('values of several kinds in one expression');
  return { kind, parts: values.map((value) => (value.kind === kind ? value.sql : nullOf(kind))) };
}
