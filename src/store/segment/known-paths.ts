// Key paths that are expected below a JSON column -> how often each occurs, provided that no others do.
import type { Connection } from '../../duckdb/connection.js';
import type { Row } from '../../duckdb/rows.js';
import { identifier, sql, word, type Sql } from '../../duckdb/sql.js';
import type { JsonColumn } from '../../schema/event-columns.js';
import { pathKey } from '../../schema/event-relation.js';
import { enginePath, firstCodes } from './leaf-columns.js';
import type { PathCount } from './path-count.js';
import {
  classCounts,
  classes,
  countOf,
  toTypes,
  type PathTypes,
  type ValueClass,
} from './path-types.js';

type Steps = readonly string[];

export interface KnownPaths {
  /** The paths that occur. */
  readonly counts: readonly PathCount[];
  /** The types at each of them. */
  readonly types: readonly PathTypes[];
}

/**
 * What a full inventory would find, at the price of the types alone, when no other paths occur than `paths`; else null.
 * Paths need their parents among them.
 */
export async function readKnownPaths(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
  paths: readonly Steps[],
): Promise<KnownPaths | null> {
  const parents = parentsOf(paths);
  const keys = parents.map(
    (_, index) =>
      sql`coalesce(sum(len(keys[${word(index + 1)}])), 0) AS ${identifier(`keys ${index}`)}`,
  );
  const parentPaths = parents.map(enginePath);
  const [counts = {}] = await connection.read(
    classCounts(rows, column, paths, knownClasses, {
      values: sql`json_keys(${identifier(column)}, ${parentPaths}) AS keys`,
      aggregates: keys,
    }),
  );
  if (!areAll(paths, parents, counts)) return null;
  const found = paths
    .map((steps, index) => ({
      path: { steps, rows: countOf(counts, 'present', index) },
      types: { steps, ...toTypes(counts, index) },
    }))
    .filter(({ path }) => path.rows > 0);
  return { counts: found.map(({ path }) => path), types: found.map(({ types }) => types) };
}

/** Of all paths with others below them; the first is the column itself. */
function parentsOf(paths: readonly Steps[]): readonly Steps[] {
  const parents = new Map(paths.map((steps) => [pathKey(steps.slice(0, -1)), steps.slice(0, -1)]));
  return [...new Map([[pathKey([]), [] as Steps], ...parents]).values()];
}

/** Whether the objects have no more keys than those of the paths. */
function areAll(paths: readonly Steps[], parents: readonly Steps[], counts: Row): boolean {
  const below = new Map<string, number>();
  for (const [index, steps] of paths.entries()) {
    const parent = pathKey(steps.slice(0, -1));
    below.set(parent, (below.get(parent) ?? 0) + countOf(counts, 'present', index));
  }
  return (
    parents.every(
      (steps, index) => Number(counts[`keys ${index}`]) === below.get(pathKey(steps)),
    ) &&
    paths.every(
      (steps, index) => below.has(pathKey(steps)) || countOf(counts, 'openObjects', index) === 0,
    )
  );
}

/** JSON null is there, too. */
const knownClasses = {
  ...classes,
  present: (_, first) => sql`${first} IS NOT NULL`,
  openObjects: (value, first) => sql`${first} = ${word(firstCodes.object)} AND ${value} <> '{}'`,
} as const satisfies Record<string, ValueClass>;
