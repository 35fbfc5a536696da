// SQL for the result of a query: rows as JSON text, or typed columns. The type of a column is given, or follows from the kinds of its
// values.
import { join, limitTo, sql, word, type Sql } from '../../duckdb/sql.js';
import { assertNever } from '../../errors.js';
import {
  bitOfKind,
  kindsOfFirst,
  type ResultColumn,
  type ValueKind,
} from '../../json/result-row.js';
import type { ColumnType } from '../bound/column-type.js';
import { isRespelt } from '../value/exact-text.js';
import { finite } from '../value/finite.js';
import { timestampText } from '../value/timestamp-text.js';
import { jsonForm, numberText, stringJson } from '../value/value.js';

/** An output column, whose values have the SQL type of one kind or are JSON text. */
export interface OutputColumn extends ResultColumn {
  /** The type of the column in a file; null or absent if it follows from the values. */
  readonly typedAs?: ColumnType | null;
}

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

/** An integer of 64 bits that a double may not hold. */
function isLong(text: Sql): Sql {
  const isBeyond = sql`abs(TRY_CAST(${text} AS DOUBLE)) >= 9007199254740992`;
  return sql`length(${text}) > 15 AND regexp_full_match(${text}, '-?\\d+') AND ${isBeyond} AND TRY_CAST(${text} AS BIGINT) IS NOT NULL`;
}

function kindOfJsonNumber(text: Sql): Sql {
  const number = sql`TRY_CAST(${text} AS DOUBLE)`;
  return sql`CASE WHEN ${isLong(text)} THEN ${bit('l')} WHEN ${isRespelt(text)} THEN ${bit('j')} WHEN ${number} = trunc(${number}) AND abs(${number}) < 9007199254740992 THEN ${bit('i')} WHEN ${number} = trunc(${number}) OR NOT isfinite(${number}) THEN ${bit('j')} ELSE ${bit('d')} END`;
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

/**
 * As `kindCounts`, without the columns whose type is given or the `known` kinds decide, and with `misfits`: how many values are NULL
 * in columns whose type is given, because they do not fit it.
 */
export const undecidedKinds = (
  columns: readonly OutputColumn[],
  known: readonly string[],
  table: Sql,
): Sql =>
  kindsWhere(columns, (column, index) => !isDecided(column, known[index] ?? ''), table, [
    sql`${misfits(columns)} AS misfits`,
  ]);

const misfits = (columns: readonly OutputColumn[]): Sql =>
  join(
    [
      sql`0`,
      ...columns.flatMap((column, index) =>
        mayMisfit(column)
          ? [
              sql`count(*) FILTER (WHERE ${fitting(column, at(index))} IS NOT NULL AND ${typed(column, at(index), '')} IS NULL)`,
            ]
          : [],
      ),
    ],
    ' + ',
  );

const mayMisfit = ({ type, typedAs: given = null }: OutputColumn): boolean =>
  (type === 'json' && given !== null && given !== 'JSON') ||
  (type === 'number' && given === 'BIGINT');

/** The values that count: numbers that are not finite are NULL in every answer. */
const fitting = ({ type }: OutputColumn, value: Sql): Sql =>
  type === 'number' ? finite(value) : value;

function kindsWhere(
  columns: readonly OutputColumn[],
  isWanted: (column: OutputColumn, index: number) => boolean,
  table: Sql,
  others: readonly Sql[] = [],
): Sql {
  const list = columns.flatMap((column, index) =>
    isWanted(column, index) ? [sql`${kindBits(column, at(index))} AS ${at(index)}`] : [],
  );
  return sql`SELECT ${join([...list, ...others, sql`count(*) AS rows`])} FROM ${table}`;
}

/** Whether further kinds of values cannot change the type of the column. */
const isDecided = ({ type, typedAs: given = null }: OutputColumn, kinds: string): boolean =>
  type !== 'json' || given !== null || !['il', 'id', 'b', 's'].some((each) => onlyOf(kinds, each));

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
  const isText = column.type === 'string' || (column.type === 'json' && onlyOf(kinds, 's'));
  return isText ? typed(column, value, kinds) : jsonText(column, value);
}

const onlyOf = (kinds: string, allowed: string): boolean =>
  Array.from(kinds.replaceAll('n', '')).every((kind) => allowed.includes(kind));

const typeOfNative = {
  boolean: 'BOOLEAN',
  number: 'DOUBLE',
  string: 'VARCHAR',
  timestamp: 'TIMESTAMPTZ',
} as const;

/**
 * The type of the column in a file.
 * @param kinds the kinds of its values
 */
export function typedAs({ type, typedAs: given = null }: OutputColumn, kinds: string): ColumnType {
  if (given !== null) return given;
  if (type !== 'json') return typeOfNative[type];
  if (onlyOf(kinds, '')) return 'VARCHAR';
  if (onlyOf(kinds, 'il')) return 'BIGINT';
  if (onlyOf(kinds, 'id')) return 'DOUBLE';
  if (onlyOf(kinds, 'b')) return 'BOOLEAN';
  return onlyOf(kinds, 's') ? 'VARCHAR' : 'JSON';
}

function typed(column: OutputColumn, value: Sql, kinds: string): Sql {
  const as = typedAs(column, kinds);
  if (column.type === 'json') return ofText(as, value, kinds);
  if (column.type === 'timestamp') return inUtc(value);
  if (column.type !== 'number') return value;
  return as === 'BIGINT' ? sql`TRY_CAST(${value} AS BIGINT)` : finite(value);
}

const inUtc = (timestamp: Sql): Sql => sql`make_timestamptz(epoch_us(${timestamp}))`;

/** The value of JSON text; NULL if it does not fit the type. */
function ofText(type: ColumnType, text: Sql, kinds: string): Sql {
  switch (type) {
    case 'BOOLEAN':
      return jsonForm(text, 'boolean');
    case 'BIGINT':
      return wholeNumber(text, kinds);
    case 'DOUBLE':
      return finite(jsonForm(text, 'number'));
    case 'VARCHAR':
      return jsonForm(text, 'string');
    case 'TIMESTAMPTZ':
      return inUtc(jsonForm(text, 'timestamp'));
    case 'VARCHAR[]':
      return sql`CASE WHEN starts_with(${text}, '[') THEN from_json(${text}, '["VARCHAR"]') END`;
    case 'JSON':
      return sql`CAST(${text} AS JSON)`;
    default:
      return assertNever(type);
  }
}

function wholeNumber(text: Sql, kinds: string): Sql {
  const short = sql`TRY_CAST(TRY_CAST(${text} AS DOUBLE) AS BIGINT)`;
  if (kinds !== '' && onlyOf(kinds, 'i')) return short;
  return sql`CASE ${kindOfText(text)} WHEN ${bit('i')} THEN ${short} WHEN ${bit('l')} THEN TRY_CAST(${text} AS BIGINT) END`;
}
