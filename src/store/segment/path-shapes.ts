// The shapes of JSON objects -> their key paths: one reading of a column whose objects are alike.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { pathKey } from '../../schema/event-relation.js';
import { inDefaultOrder, type PathCount } from './path-count.js';

/** An object has the structures of its members; arrays and names of types are the ends of paths. */
type Structure = string | readonly unknown[] | { readonly [key: string]: Structure };

const sampleRows = 2048n;
/** With more shapes in the sample, most rows have a shape of their own. */
const sampleShapesMax = 50;
const shapesMax = 1000;

const objects = (rows: Sql, column: JsonColumn): Sql =>
  sql`SELECT ${identifier(column)} AS value FROM ${rows} WHERE starts_with(${identifier(column)}, '{')`;

/**
 * The paths of at most `depthMax` steps, those with few steps first, then the most frequent; null when there
 * are too many shapes to go this way.
 * @param rows a parenthesised SELECT with `column`
 */
export async function pathsOfShapes(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  depthMax: number,
): Promise<readonly PathCount[] | null> {
  const [sample] = await connection.read(sql`
    SELECT count(DISTINCT json_structure(value)) AS shapes
    FROM (${objects(rows, column)} LIMIT ${sampleRows})`);
  if (Number(sample?.['shapes']) > sampleShapesMax) return null;
  const shapes = await connection.read(sql`
    SELECT CAST(json_structure(value) AS VARCHAR) AS shape, count(*) AS n
    FROM (${objects(rows, column)}) GROUP BY shape LIMIT ${BigInt(shapesMax + 1)}`);
  if (shapes.length > shapesMax) return null;
  const counts = new Map<string, PathCount>();
  for (const { shape, n } of shapes)
    countPaths(counts, [], JSON.parse(shape as string) as Structure, Number(n), depthMax);
  return [...counts.values()].sort(inDefaultOrder);
}

function countPaths(
  counts: Map<string, PathCount>,
  parents: readonly string[],
  structure: Structure,
  rows: number,
  depthMax: number,
): void {
  if (typeof structure === 'string' || Array.isArray(structure) || parents.length === depthMax)
    return;
  for (const [key, member] of Object.entries(structure as Record<string, Structure>)) {
    const steps = [...parents, key];
    const name = pathKey(steps);
    counts.set(name, { steps, rows: (counts.get(name)?.rows ?? 0) + rows });
    countPaths(counts, steps, member, rows, depthMax);
  }
}
