// SQL for the result of a query: rows as JSON text, or typed columns. The types of columns follow from the kinds of their values.
import { join, limitTo, sql, word, type Sql } from '../../duckdb/sql.js';
import { assertNever } from '../../errors.js';
import {
  bitOfKind,
  kindsOfFirst,
  type ResultColumn,
  type ValueKind,
} from '../../json/result-row.js';
import { isRespelt } from '../value/exact-text.js';
import { finite } from '../value/finite.js';
import { timestampText } from '../value/timestamp-text.js';
import { numberText, stringJson } from '../value/value.js';

/** An output column, whose values have the SQL type of one kind or are JSON text. */
export type OutputColumn = ResultColumn;

const at = (index: number): Sql => word(`c${index}`);

export function jsonText({ type }: OutputColumn, column: Sql): Sql {
  switch (type) {
    case 'boolean':
      return sql`CAST(${column} AS VARCHAR)`;
    case 'number':
      return numberText(column);
    case 'string':
      return stringJson(column);
    case 'timestamp':
      return sql`'"' || ${timestampText(column)} || '"'`;
    case 'json':
      return column;
    default:
      return assertNever(type);
  }
}

// SQL for bits, not for letters that become bits: the engine copies the operand of a CASE to each WHEN, and planning the
// columns would take most of the time of a query for hundreds of them.
const bit = (kind: ValueKind): Sql => word(bitOfKind(kind));

const kindOfNumber = (number: Sql): Sql =>
  sql`CASE WHEN ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992 THEN ${bit('i')} WHEN isfinite(${number}) THEN ${bit('d')} ELSE ${bit('n')} END`;

function kindOfJsonNumber(text: Sql): Sql {
  const number = sql`TRY_CAST(${text} AS DOUBLE)`;
  return sql`CASE WHEN ${isRespelt(text)} THEN ${bit('j')} WHEN ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992 THEN ${bit('i')} WHEN ${number} = trunc(${number}) OR NOT isfinite(${number}) THEN ${bit('j')} ELSE ${bit('d')} END`;
}

// Compares the code of the first character, because `left` scans the whole text.
const whenFirst = join(
  Object.entries(kindsOfFirst).map(
    ([character, kind]) => sql`WHEN ${word(character.charCodeAt(0))} THEN ${bit(kind)}`,
  ),
  ' ',
);

const kindOfText = (text: Sql): Sql =>
  sql`CASE coalesce(unicode(${text}), -1) WHEN -1 THEN ${bit('n')} ${whenFirst} ELSE ${kindOfJsonNumber(text)} END`;

const kindOfType = { boolean: 'b', string: 's', timestamp: 't' } as const;

function valueKind({ type }: OutputColumn, column: Sql): Sql {
  if (type === 'json') return kindOfText(column);
  const kind = type === 'number' ? kindOfNumber(column) : bit(kindOfType[type]);
  return sql`CASE WHEN ${column} IS NULL THEN ${bit('n')} ELSE ${kind} END`;
}

/** SELECT of `row`, the JSON text of each row of `rows`. */
export function textRows(columns: readonly OutputColumn[], rows: Sql): Sql {
  const members = columns.flatMap((column, index) => [
    sql`${`${index === 0 ? '{' : ','}${JSON.stringify(column.name)}:`}`,
    sql`coalesce(${jsonText(column, at(index))}, 'null')`,
  ]);
  return sql`SELECT concat(${join(members)}, '}') AS row FROM (${rows})`;
}

const sqlTypes = {
  boolean: 'BOOLEAN',
  number: 'DOUBLE',
  string: 'VARCHAR',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
} as const;

const asStored = (columns: readonly OutputColumn[]): readonly Sql[] =>
  columns.map(
    ({ type }, index) => sql`CAST(${at(index)} AS ${word(sqlTypes[type])}) AS ${at(index)}`,
  );

/** SELECT of the output columns, cast to their types even if all values are NULL, and of `others`. */
export const valueRows = (
  columns: readonly OutputColumn[],
  rows: Sql,
  others: readonly Sql[] = [],
): Sql => sql`SELECT ${join([...asStored(columns), ...others])} FROM (${rows})`;

/** The rows for a FROM clause. */
export const asTable = (rows: Sql): Sql => sql`(${rows})`;

/** @param count Infinity for all rows */
export const limitedRows = (rows: Sql, count: number): Sql =>
  count === Infinity ? rows : sql`SELECT * FROM (${rows})${limitTo(count)}`;

/** The bits of the distinct kinds of the values; NULL without rows. Much faster than DISTINCT kinds, of which each has a table. */
const kindBits = (column: OutputColumn, value: Sql): Sql =>
  sql`bit_or(${valueKind(column, value)})`;

/** SELECT of one row: for each output column the bits of the kinds of its values, and `rows`, the number of rows. */
export const kindCounts = (columns: readonly OutputColumn[], table: Sql): Sql =>
  kindsWhere(columns, () => true, table);

/** As `kindCounts`, without the columns whose type the `known` kinds decide. */
export const undecidedKinds = (
  columns: readonly OutputColumn[],
  known: readonly string[],
  table: Sql,
): Sql => kindsWhere(columns, (column, index) => !isDecided(column, known[index] ?? ''), table);

function kindsWhere(
  columns: readonly OutputColumn[],
  isWanted: (column: OutputColumn, index: number) => boolean,
  table: Sql,
): Sql {
  const list = columns.flatMap((column, index) =>
    isWanted(column, index) ? [sql`${kindBits(column, at(index))} AS ${at(index)}`] : [],
  );
  return sql`SELECT ${join([...list, sql`count(*) AS rows`])} FROM ${table}`;
}

/** Whether further kinds of values cannot change the type of the column. */
const isDecided = ({ type }: OutputColumn, kinds: string): boolean =>
  type === 'json' ? !['id', 'b', 's'].some((typed) => onlyOf(kinds, typed)) : type !== 'number';

type Written = (column: OutputColumn, value: Sql, kinds: string) => Sql;

const selectAs =
  (written: Written) =>
  (columns: readonly OutputColumn[], table: Sql, kinds: readonly string[]): Sql => {
    const list = columns.map(
      (column, index) => sql`${written(column, at(index), kinds[index] ?? '')} AS ${at(index)}`,
    );
    return sql`SELECT ${join(list)} FROM ${table}`;
  };

/** SELECT of the columns with the types of their values. `kinds` has the kinds of each column, from `kindsOf`. */
export const typedSelect = selectAs(typed);

/** As `typedSelect`, but as text, without the quotes of strings. */
export const plainSelect = selectAs(plainText);

function plainText(column: OutputColumn, value: Sql, kinds: string): Sql {
  if (column.type === 'timestamp') return timestampText(value);
  if (column.type === 'string' || onlyOf(kinds, 's')) return typed(column, value, kinds);
  return jsonText(column, value);
}

/** The SQL type that a column has in a file. */
export type TypedAs = 'BOOLEAN' | 'BIGINT' | 'DOUBLE' | 'VARCHAR' | 'TIMESTAMPTZ';

const onlyOf = (kinds: string, allowed: string): boolean =>
  Array.from(kinds.replaceAll('n', '')).every((kind) => allowed.includes(kind));

/** @param kinds the kinds of the values of the column */
export function typedAs({ type }: OutputColumn, kinds: string): TypedAs {
  const isEmpty = onlyOf(kinds, '');
  if (type === 'timestamp') return 'TIMESTAMPTZ';
  if (type === 'boolean') return 'BOOLEAN';
  if (type === 'string') return 'VARCHAR';
  if (isEmpty) return type === 'number' ? 'DOUBLE' : 'VARCHAR';
  if (onlyOf(kinds, 'i')) return 'BIGINT';
  if (onlyOf(kinds, 'id')) return 'DOUBLE';
  return onlyOf(kinds, 'b') ? 'BOOLEAN' : 'VARCHAR';
}

function typed(column: OutputColumn, value: Sql, kinds: string): Sql {
  const { type } = column;
  const name = word(typedAs(column, kinds));
  if (type === 'number') return sql`CAST(${finite(value)} AS ${name})`;
  if (type === 'timestamp') return sql`make_timestamptz(epoch_us(${value}))`;
  if (type !== 'json') return value;
  if (onlyOf(kinds, 'i')) return sql`CAST(TRY_CAST(${value} AS DOUBLE) AS ${name})`;
  if (onlyOf(kinds, 'id') || onlyOf(kinds, 'b')) return sql`CAST(${value} AS ${name})`;
  return onlyOf(kinds, 's') ? sql`json_extract_string(${value}, '$')` : value;
}
