// Which key paths occur below a JSON column of some rows, and in how many rows.
import type { Connection } from '../../duckdb/connection.js';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
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

/** (step 1, …, step n, rows) of the paths with `depth` steps, the most frequent first. */
function keysAt(rows: Sql, column: JsonColumn, depth: number): Sql {
  const parents = Array.from({ length: depth - 1 }, (_, index) => index + 1);
  const steps = parents.map((level) => sql`${word(`k${level}`)}, `);
  const keys = parents.map((level) => sql`${word(`e${level}.key`)} AS ${word(`k${level}`)}, `);
  return sql`
    SELECT ${join(steps, '')}key, count(*) AS n
    FROM (SELECT ${join(keys, '')}
        unnest(json_keys(${word(depth === 1 ? 'r.value' : `e${depth - 1}.value`)})) AS key
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
    (level) =>
      sql`, json_each(${word(level === 1 ? 'r.value' : `e${level - 1}.value`)}) ${word(`e${level}`)}`,
  );
  const objects = levels.map((level) => sql`${word(`e${level}.type`)} = 'OBJECT'`);
  return sql`(${value} AND contains(${identifier(column)}, ':{')) r${join(sources, '')}
    WHERE ${join(objects, ' AND ')}`;
}
