// Which key paths occur below a JSON column of some rows, and in how many rows.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { pathKey } from '../../schema/event-relation.js';
import type { PathCount } from './path-count.js';
import { pathsOfShapes } from './path-shapes.js';

export interface Inventory {
  /** By `pathKey`, the most frequent of every depth first. */
  readonly counts: ReadonlyMap<string, PathCount>;
  /** False when there are more paths than are listed. */
  readonly complete: boolean;
}

const depthMax = 6;
const listedPathsMax = 2_000;
const listedCharactersMax = 200_000;

/** @param rows a parenthesised SELECT with `column` */
export async function takeInventory(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
): Promise<Inventory> {
  const listed = new Listing();
  const alike = await pathsOfShapes(connection, rows, column, depthMax);
  if (alike !== null) {
    const complete = alike.every(({ steps }) => steps.length < depthMax);
    return { counts: listed.counts, complete: alike.every((path) => listed.add(path)) && complete };
  }
  for (let depth = 1; depth <= depthMax; depth++) {
    const before = listed.counts.size;
    for await (const chunk of connection.stream(keysAt(rows, column, depth)))
      for (const row of chunk) {
        const path = { steps: row.slice(0, depth) as string[], rows: Number(row[depth]) };
        if (!listed.add(path)) return { counts: listed.counts, complete: false };
      }
    if (listed.counts.size === before) return { counts: listed.counts, complete: true };
  }
  return { counts: listed.counts, complete: false };
}

/** Paths by their keys, up to what a segment lists. */
class Listing {
  readonly counts = new Map<string, PathCount>();
  #characters = 0;

  /** False when there is no room for the path. */
  add(path: PathCount): boolean {
    const key = pathKey(path.steps);
    this.#characters += key.length;
    if (this.counts.size >= listedPathsMax || this.#characters > listedCharactersMax) return false;
    this.counts.set(key, path);
    return true;
  }
}

const raw = (text: string): Sql => ({ parts: [text] });

/** (step 1, …, step n, rows) of the paths with `depth` steps, the most frequent first. */
function keysAt(rows: Sql, column: JsonColumn, depth: number): Sql {
  const parents = Array.from({ length: depth - 1 }, (_, index) => index + 1);
  const steps = parents.map((level) => `k${level}, `).join('');
  return sql`
    SELECT ${raw(steps)}key, count(*) AS n
    FROM (SELECT ${raw(parents.map((level) => `e${level}.key AS k${level}, `).join(''))}
        unnest(json_keys(${raw(depth === 1 ? 'r.value' : `e${depth - 1}.value`)})) AS key
      FROM ${objectsIn(rows, column, depth)})
    GROUP BY ALL ORDER BY n DESC, key`;
}

// Unnesting an object into rows is several times slower than listing its keys, so it is done only
// for rows with objects in objects: stored JSON has no white space.
function objectsIn(rows: Sql, column: JsonColumn, depth: number): Sql {
  const value = sql`SELECT ${identifier(column)} AS value FROM ${rows}
    WHERE starts_with(${identifier(column)}, '{')`;
  if (depth === 1) return sql`(${value}) r`;
  const levels = Array.from({ length: depth - 1 }, (_, index) => index + 1);
  const sources = levels.map(
    (level) => `, json_each(${level === 1 ? 'r.value' : `e${level - 1}.value`}) e${level}`,
  );
  const objects = levels.map((level) => `e${level}.type = 'OBJECT'`);
  return sql`(${value} AND contains(${identifier(column)}, ':{')) r${raw(sources.join(''))}
    WHERE ${raw(objects.join(' AND '))}`;
}
