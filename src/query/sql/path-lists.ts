// Reads many paths of a JSON column with one call, which parses the text once. A call for each path would parse it as often, and
// the engine holds what it parsed for all calls of 2,048 rows.
import { join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import { enginePathOf, valueIn } from '../value/json-path.js';
import type { Step } from '../syntax/ast.js';

/** From this many paths of a column on, one call reads them. */
const pathsMin = 16;

export interface TextPath {
  readonly column: Sql;
  readonly steps: readonly Step[];
  /** Equal for equal columns and steps. */
  readonly name: string;
}

export interface PathLists {
  /** The texts of paths that lists have, by name; NULL for JSON null. */
  readonly texts: ReadonlyMap<string, Sql>;
  /** The rows with the lists as columns `l0`, `l1`, …. */
  readonly from: (rows: Sql) => Sql;
}

export function pathLists(paths: readonly TextPath[]): PathLists {
  const byColumn = new Map<string, Map<string, TextPath>>();
  for (const path of paths) {
    if (enginePathOf(path.steps) === null) continue;
    const key = JSON.stringify(path.column.parts);
    byColumn.set(key, (byColumn.get(key) ?? new Map()).set(path.name, path));
  }
  const lists = [...byColumn.values()]
    .map((named) => Array.from(named.values()))
    .filter(({ length }) => length >= pathsMin);
  const texts = lists.flatMap((list, number) =>
    list.map(({ name }, index) => [name, valueIn(numbered('l', number), index)] as const),
  );
  const columns = lists.map((list, number) => {
    const steps = list.map((path) => enginePathOf(path.steps)!);
    return sql`json_extract(${list[0]!.column}, ${steps}) AS ${numbered('l', number)}`;
  });
  const from = (rows: Sql) =>
    columns.length === 0 ? rows : sql`(SELECT *, ${join(columns)} FROM ${rows})`;
  return { texts: new Map(texts), from };
}
