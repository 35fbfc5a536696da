// Key paths of a JSON column -> how many rows have a value of each type there.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
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

type ValueClass =
  'null' | 'number' | 'unfit number' | 'string' | 'unfit string' | 'boolean' | 'container';

/** The types at each of `paths`, in their order. */
export async function readPathTypes(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  paths: readonly (readonly string[])[],
): Promise<readonly PathTypes[]> {
  if (paths.length === 0) return [];
  const counts = paths.map(() => new Map<ValueClass, number>());
  for (const row of await connection.read(classCounts(rows, column, paths)))
    counts[Number(row['place'])]?.set(row['class'] as ValueClass, Number(row['n']));
  return paths.map((steps, index) => toPathTypes(steps, (name) => counts[index]?.get(name) ?? 0));
}

const toPathTypes = (steps: readonly string[], count: (name: ValueClass) => number): PathTypes => ({
  steps,
  numbers: count('number') + count('unfit number'),
  strings: count('string') + count('unfit string'),
  booleans: count('boolean'),
  containers: count('container'),
  unfit: count('unfit number') + count('unfit string'),
});

const raw = (text: string | number): Sql => ({ parts: [String(text)] });

function classCounts(rows: Sql, column: JsonColumn, paths: readonly (readonly string[])[]): Sql {
  const places = raw(`[${paths.map((_, index) => index).join()}]`);
  const isUnfit = sql`inexact OR abs(TRY_CAST(value AS DOUBLE)) > ${raw(wholeMax)}`;
  return sql`
    SELECT place, CASE ascii(value)
        WHEN ${raw(firstCodes.quote)} THEN CASE WHEN strlen(value) < ${raw(longTextBytes)} THEN 'string' ELSE 'unfit string' END
        WHEN ${raw(firstCodes.true)} THEN 'boolean' WHEN ${raw(firstCodes.false)} THEN 'boolean'
        WHEN ${raw(firstCodes.object)} THEN 'container' WHEN ${raw(firstCodes.array)} THEN 'container'
        WHEN ${raw(firstCodes.null)} THEN 'null'
        ELSE CASE WHEN ${isUnfit} THEN 'unfit number' ELSE 'number' END
      END AS class, count(*) AS n
    FROM (
      SELECT unnest(CAST(json_extract(${identifier(column)}, ${paths.map(enginePath)}) AS VARCHAR[])) AS value,
        unnest(${places}) AS place, ${isInexact(column)} AS inexact
      FROM ${rows} WHERE starts_with(${identifier(column)}, '{'))
    WHERE value IS NOT NULL GROUP BY ALL`;
}
