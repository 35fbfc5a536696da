// Key paths of a JSON column -> how many rows have a value of each type there.
import type { Connection } from '../../duckdb/connection.js';
import type { Row } from '../../duckdb/rows.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { enginePath, firstCodes, isInexact, longTextBytes, wholeMax } from './leaf-columns.js';

/** JSON null is no value. */
export interface PathTypes {
  readonly steps: readonly string[];
  readonly numbers: number;
  readonly strings: number;
  readonly booleans: number;
  /** Arrays and objects. */
  readonly containers: number;
  /** Numbers and strings that a leaf column cannot hold; they are counted as what they are too. */
  readonly unfit: number;
}

/** The types at each of `paths`, in their order. */
export async function readPathTypes(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  paths: readonly (readonly string[])[],
): Promise<readonly PathTypes[]> {
  if (paths.length === 0) return [];
  const [counts] = await connection.read(classCounts(rows, column, paths, classes));
  return paths.map((steps, index) => ({ steps, ...toTypes(counts ?? {}, index) }));
}

/** The count of a class at the path with this index. */
export const countOf = (counts: Row, name: string, index: number): number =>
  Number(counts[`${name} ${index}`] ?? 0);

const { quote, array, object, true: isTrue, false: isFalse, null: isNull } = firstCodes;

/** A condition on the text of a value and the code of its first character. */
export type ValueClass = (value: Sql, first: Sql) => Sql;

/** One aggregate for each is several times faster than unnesting the values and grouping them. */
export const classes = {
  values: (_, first) => sql`${first} <> ${word(isNull)}`,
  strings: (_, first) => sql`${first} = ${word(quote)}`,
  booleans: (_, first) => sql`${first} IN (${word(isTrue)}, ${word(isFalse)})`,
  containers: (_, first) => sql`${first} IN (${word(object)}, ${word(array)})`,
  longStrings: (value, first) =>
    sql`${first} = ${word(quote)} AND strlen(${value}) >= ${word(longTextBytes)}`,
  unfitNumbers: (value, first) => sql`CASE WHEN ${first} < 60 AND ${first} <> ${word(quote)}
    THEN inexact OR abs(TRY_CAST(${value} AS DOUBLE)) > ${word(wholeMax)} ELSE FALSE END`,
} as const satisfies Record<string, ValueClass>;

export function toTypes(counts: Row, index: number): Omit<PathTypes, 'steps'> {
  const count = (name: keyof typeof classes): number => countOf(counts, name, index);
  const [strings, booleans, containers] = [
    count('strings'),
    count('booleans'),
    count('containers'),
  ];
  return {
    numbers: count('values') - strings - booleans - containers,
    strings,
    booleans,
    containers,
    unfit: count('longStrings') + count('unfitNumbers'),
  };
}

interface MoreCounts {
  /** Columns over each row. */
  readonly values: Sql;
  /** Aggregates over these. */
  readonly aggregates: readonly Sql[];
}

/** One row with a column per path and class, and per further aggregate. */
export function classCounts(
  rows: Sql,
  column: JsonColumn,
  paths: readonly (readonly string[])[],
  wanted: Readonly<Record<string, ValueClass>>,
  more: MoreCounts | null = null,
): Sql {
  const columns = paths.map((_, index) => ({
    value: identifier(`value ${index}`),
    first: identifier(`first ${index}`),
  }));
  const values = columns.map(({ value, first }, index) => {
    const part = sql`parts[${word(index + 1)}]`;
    return sql`${part} AS ${value}, ascii(${part}) AS ${first}`;
  });
  const counts = columns.flatMap(({ value, first }, index) =>
    Object.entries(wanted).map(
      ([name, isOfClass]) =>
        sql`count(*) FILTER (${isOfClass(value, first)}) AS ${identifier(`${name} ${index}`)}`,
    ),
  );
  const ofRow = more === null ? [] : [more.values];
  const parts = sql`CAST(json_extract(${identifier(column)}, ${paths.map(enginePath)}) AS VARCHAR[]) AS parts`;
  return sql`
    SELECT ${join([...counts, ...(more?.aggregates ?? [])])} FROM (
      SELECT * EXCLUDE (parts), ${join(values)} FROM (
        SELECT ${join([parts, sql`${isInexact(column)} AS inexact`, ...ofRow])}
        FROM ${rows} WHERE starts_with(${identifier(column)}, '{')))`;
}
