// SQL for the leaf columns of a segment: typed columns that hold the values at one path of a JSON column.
import { enginePath } from '../../duckdb/json-path.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import type { LeafColumns } from '../../schema/event-relation.js';

/** A path with its leaf columns. */
export interface Leaf {
  readonly column: JsonColumn;
  readonly steps: readonly string[];
  readonly columns: LeafColumns;
  /** Some of its numbers are in the JSON text only. */
  readonly checksNumbers: boolean;
}

/** JSON text of this many bytes or more stays in the text: 256 bytes and the quotes. */
export const longTextBytes = 258;

/** Up to this number, numbers with few digits are exact as doubles. */
export const wholeMax = Number.MAX_SAFE_INTEGER;

// What is not marked as lossless was printed by JavaScript from doubles. Of the rest, numbers of up to
// 15 digits with a short exponent are exact all the same.
const longNumber = String.raw`\d[\d.]{15}|\d[eE][+-]?\d{3}`;

const longNumbers = new RegExp(longNumber);

/** Whether the JSON text of a row that is marked as lossless may have a number that a double does not represent exactly. */
export const mayBeInexact = (text: Buffer): boolean => longNumbers.test(text.toString('latin1'));

/** SQL: the same for a column of any row. */
const isInexact = (column: JsonColumn): Sql =>
  sql`(_lossless AND coalesce(regexp_matches(${identifier(column)}, ${longNumber}), FALSE))`;

const partsOf = (column: JsonColumn): Sql => identifier(`parts of ${column}`);

/** Parenthesised SELECT of all columns of `rows` and the leaf columns of `leaves`. */
export function withLeaves(rows: Sql, leaves: readonly Leaf[]): Sql {
  const columns = [...new Set(leaves.map(({ column }) => column))];
  if (columns.length === 0) return rows;
  const extracted = columns.map((column) => {
    const paths = leaves
      .filter((leaf) => leaf.column === column)
      .map(({ steps }) => enginePath(steps));
    return sql`CAST(json_extract(${identifier(column)}, ${paths}) AS VARCHAR[]) AS ${partsOf(column)},
      ${isInexact(column)} AS ${identifier(`inexact ${column}`)}`;
  });
  const values = columns.flatMap((column) =>
    leaves
      .filter((leaf) => leaf.column === column)
      .flatMap((leaf, index) => leafSql(leaf, sql`${partsOf(column)}[${word(index + 1)}]`)),
  );
  const excluded = columns.flatMap((column) => [partsOf(column), identifier(`inexact ${column}`)]);
  return sql`(SELECT * EXCLUDE (${join(excluded)}), ${join(values)}
    FROM (SELECT *, ${join(extracted)} FROM ${rows}))`;
}

function leafSql({ column, columns, checksNumbers }: Leaf, text: Sql): readonly Sql[] {
  const first = sql`ascii(${text})`;
  const isNumber = sql`${first} < 60 AND ${first} <> 34`;
  const number = sql`TRY_CAST(${text} AS DOUBLE)`;
  const isExact = sql`NOT ${identifier(`inexact ${column}`)} AND abs(${number}) <= ${word(wholeMax)}`;
  const fits = checksNumbers ? sql`${isNumber} AND ${isExact}` : isNumber;
  const isShort = sql`${first} = 34 AND strlen(${text}) < ${word(longTextBytes)}`;
  const definitions: readonly (readonly [string | null, Sql])[] = [
    [columns.number, sql`CASE WHEN ${fits} THEN ${number} END`],
    [columns.string, sql`CASE WHEN ${isShort} THEN ${unquoted(text)} END`],
    [columns.boolean, sql`CASE ${text} WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`],
    [
      columns.elsewhere,
      sql`CASE WHEN ${isNumber} THEN NOT (${isExact}) WHEN ${first} = 34 THEN NOT (${isShort}) ELSE ${first} IN (91, 123) END`,
    ],
  ];
  return definitions.flatMap(([name, value]) =>
    name === null ? [] : [sql`${value} AS ${identifier(name)}`],
  );
}

const unquoted = (text: Sql): Sql =>
  sql`CASE WHEN contains(${text}, '\\') THEN json_extract_string(${text}, '$') ELSE trim(${text}, '"') END`;
