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

// What is not marked as lossless was printed by JavaScript from doubles. Of the rest, the engine extracts integers as they are, and
// a double holds all fractions of up to 15 digits with a short exponent.
const longFraction = [
  ...Array.from({ length: 15 }, (_, digit) => String.raw`\d{${digit + 1}}\.\d{${15 - digit}}`),
  String.raw`\d{16}[eE]`,
  String.raw`\d[eE][+-]?\d{3}`,
].join('|');

/** SQL: whether the engine may respell some number of the column. */
const isRespelt = (column: JsonColumn): Sql =>
  sql`(_lossless AND coalesce(regexp_matches(${identifier(column)}, ${longFraction}), FALSE))`;

const partsOf = (column: JsonColumn): Sql => identifier(`parts of ${column}`);

const respeltIn = (column: JsonColumn): Sql => identifier(`respelt in ${column}`);

/** Parenthesised SELECT of all columns of `rows` and the leaf columns of `leaves`. */
export function withLeaves(rows: Sql, leaves: readonly Leaf[]): Sql {
  const columns = [...new Set(leaves.map(({ column }) => column))];
  if (columns.length === 0) return rows;
  const extracted = columns.map((column) => {
    const paths = leaves
      .filter((leaf) => leaf.column === column)
      .map(({ steps }) => enginePath(steps));
    return sql`CAST(json_extract(${identifier(column)}, ${paths}) AS VARCHAR[]) AS ${partsOf(column)},
      ${isRespelt(column)} AS ${respeltIn(column)}`;
  });
  const values = columns.flatMap((column) =>
    leaves
      .filter((leaf) => leaf.column === column)
      .flatMap((leaf, index) => leafSql(leaf, sql`${partsOf(column)}[${word(index + 1)}]`)),
  );
  const excluded = columns.flatMap((column) => [partsOf(column), respeltIn(column)]);
  return sql`(SELECT * EXCLUDE (${join(excluded)}), ${join(values)}
    FROM (SELECT *, ${join(extracted)} FROM ${rows}))`;
}

/** A number that the engine respells differs from its text in JavaScript, which keeps its digits. */
function leafSql({ column, steps, columns, checksNumbers }: Leaf, text: Sql): readonly Sql[] {
  const first = sql`ascii(${text})`;
  const isNumber = sql`${first} < 60 AND ${first} <> 34`;
  const number = sql`TRY_CAST(${text} AS DOUBLE)`;
  const exact = sql`json_exact(${identifier(column)}, ${JSON.stringify(steps)})`;
  const isExact = sql`(CASE WHEN ${respeltIn(column)} AND ${isFraction(text)} THEN ${exact} = ${text} ELSE TRUE END AND abs(${number}) <= ${word(wholeMax)})`;
  const fits = checksNumbers ? sql`${isNumber} AND ${isExact}` : isNumber;
  const isUnfit = checksNumbers ? sql`NOT ${isExact}` : sql`FALSE`;
  const isShort = sql`${first} = 34 AND strlen(${text}) < ${word(longTextBytes)}`;
  const definitions: readonly (readonly [string | null, Sql])[] = [
    [columns.number, sql`CASE WHEN ${fits} THEN ${number} END`],
    [columns.string, sql`CASE WHEN ${isShort} THEN ${unquoted(text)} END`],
    [columns.boolean, sql`CASE ${text} WHEN 'true' THEN TRUE WHEN 'false' THEN FALSE END`],
    [
      columns.elsewhere,
      sql`CASE WHEN ${isNumber} THEN ${isUnfit} WHEN ${first} = 34 THEN NOT (${isShort}) ELSE ${first} IN (91, 123) END`,
    ],
  ];
  return definitions.flatMap(([name, value]) =>
    name === null ? [] : [sql`${value} AS ${identifier(name)}`],
  );
}

const isFraction = (number: Sql): Sql => sql`regexp_matches(${number}, '[.eE]')`;

const unquoted = (text: Sql): Sql =>
  sql`CASE WHEN contains(${text}, '\\') THEN json_extract_string(${text}, '$') ELSE trim(${text}, '"') END`;
