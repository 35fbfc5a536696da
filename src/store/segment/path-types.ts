// Key paths of a JSON column -> how many rows have a value of each type there.
import type { Connection } from '../../duckdb/connection.js';
import type { Row } from '../../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
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
  const [counts] = await connection.read(classCounts(rows, column, paths));
  return paths.map((steps, index) => ({ steps, ...toTypes(counts ?? {}, index) }));
}

const raw = (text: string | number): Sql => ({ parts: [String(text)] });

const { quote, array, object, true: isTrue, false: isFalse, null: isNull } = firstCodes;

/**
 * Conditions on the text of a value and its first character. One aggregate each is several times faster than
 * unnesting the values and grouping them.
 */
const classes = {
  values: sql`first <> ${raw(isNull)}`,
  strings: sql`first = ${raw(quote)}`,
  booleans: sql`first IN (${raw(isTrue)}, ${raw(isFalse)})`,
  containers: sql`first IN (${raw(object)}, ${raw(array)})`,
  longStrings: sql`first = ${raw(quote)} AND strlen(value) >= ${raw(longTextBytes)}`,
  unfitNumbers: sql`CASE WHEN first < 60 AND first <> ${raw(quote)}
    THEN inexact OR abs(TRY_CAST(value AS DOUBLE)) > ${raw(wholeMax)} ELSE FALSE END`,
} as const satisfies Record<string, Sql>;

type ValueClass = keyof typeof classes;

const nameOf = (name: ValueClass, index: number): string => `${name} ${index}`;

function toTypes(counts: Row, index: number): Omit<PathTypes, 'steps'> {
  const count = (name: ValueClass): number => Number(counts[nameOf(name, index)] ?? 0);
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

/** One row with a column per path and class. */
function classCounts(rows: Sql, column: JsonColumn, paths: readonly (readonly string[])[]): Sql {
  const values = paths.map((_, index) => {
    const value = sql`parts[${raw(index + 1)}]`;
    return sql`${value} AS ${identifier(`value ${index}`)}, ascii(${value}) AS ${identifier(`first ${index}`)}`;
  });
  const counts = paths.flatMap((_, index) =>
    (Object.keys(classes) as ValueClass[]).map((name) => {
      const condition = ofPath(classes[name], index);
      return sql`count(*) FILTER (${condition}) AS ${identifier(nameOf(name, index))}`;
    }),
  );
  return sql`
    SELECT ${join(counts)} FROM (
      SELECT inexact, ${join(values)} FROM (
        SELECT CAST(json_extract(${identifier(column)}, ${paths.map(enginePath)}) AS VARCHAR[]) AS parts,
          ${isInexact(column)} AS inexact
        FROM ${rows} WHERE starts_with(${identifier(column)}, '{')))`;
}

/** The condition, about the columns of the path. */
const ofPath = ({ parts }: Sql, index: number): Sql => ({
  parts: parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/\b(value|first)\b/g, (name) => `"${name} ${index}"`)
      : part,
  ),
});
