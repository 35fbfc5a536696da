// Which key paths occur below the JSON columns of some rows, how often, and with values of which types.
import type { Connection } from '../duckdb/connection.js';
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import type { JsonColumn } from '../schema/event-columns.js';
import { pathKey } from '../schema/event-relation.js';
import { isInexact, longTextBytes, wholeMax } from './leaf-columns.js';

/** How many rows have a value of each type at one path; JSON null is no value. */
export interface PathUse {
  readonly steps: readonly string[];
  numbers: number;
  strings: number;
  booleans: number;
  /** Arrays and objects. */
  containers: number;
  /** Numbers and strings that a leaf column cannot hold. */
  unfit: number;
}

export interface Inventory {
  /** By `pathKey`, the most frequent of every depth first. */
  readonly uses: ReadonlyMap<string, PathUse>;
  /** False when there are more paths than are listed. */
  readonly complete: boolean;
}

export const depthMax = 6;
const listedPathsMax = 2_000;
const listedCharactersMax = 200_000;

/** @param rows a parenthesised SELECT with `column` and `_lossless` */
export async function inventory(
  connection: Connection,
  rows: Sql,
  column: JsonColumn,
): Promise<Inventory> {
  const uses = new Map<string, PathUse>();
  let characters = 0;
  for (let depth = 1; depth <= depthMax; depth++) {
    let hasObjects = false;
    for await (const chunk of connection.stream(usesAt(rows, column, depth))) {
      for (const row of chunk) {
        const steps = row.slice(0, depth) as string[];
        const key = pathKey(steps);
        const [type, count, unfit] = row.slice(depth) as [string, bigint, bigint];
        let use = uses.get(key);
        if (use === undefined) {
          characters += key.length;
          if (uses.size >= listedPathsMax || characters > listedCharactersMax)
            return { uses, complete: false };
          use = { steps, numbers: 0, strings: 0, booleans: 0, containers: 0, unfit: 0 };
          uses.set(key, use);
        }
        addUse(use, type, Number(count), Number(unfit));
        hasObjects ||= type === 'OBJECT';
      }
    }
    if (!hasObjects) return { uses, complete: true };
  }
  return { uses, complete: false };
}

function addUse(use: PathUse, type: string, count: number, unfit: number): void {
  if (type === 'NULL') return;
  if (type === 'VARCHAR') use.strings += count;
  else if (type === 'BOOLEAN') use.booleans += count;
  else if (type === 'OBJECT' || type === 'ARRAY') use.containers += count;
  else use.numbers += count;
  use.unfit += unfit;
}

const raw = (text: string): Sql => ({ parts: [text] });

/** (step 1, …, step n, type, count, unfit) of the paths with `depth` steps, the most frequent first. */
function usesAt(rows: Sql, column: JsonColumn, depth: number): Sql {
  const levels = Array.from({ length: depth }, (_, index) => index + 1);
  const steps = levels.map((level) => raw(`e${level}.key AS k${level}`));
  const sources = levels.map((level) =>
    raw(`json_each(${level === 1 ? 'r.value' : `e${level - 1}.value`}) e${level}`),
  );
  const nested = levels.slice(0, -1).map((level) => raw(` AND e${level}.type = 'OBJECT'`));
  const last = raw(`e${depth}`);
  const unfit = sql`CASE ${last}.type
    WHEN 'VARCHAR' THEN strlen(${last}.atom) >= ${raw(longTextBytes)}
    WHEN 'BOOLEAN' THEN FALSE WHEN 'NULL' THEN FALSE WHEN 'OBJECT' THEN FALSE WHEN 'ARRAY' THEN FALSE
    ELSE r.inexact OR abs(TRY_CAST(${last}.atom AS DOUBLE)) > ${raw(wholeMax)} END`;
  return sql`
    SELECT ${join(steps)}, ${last}.type AS type, count(*) AS n, count(*) FILTER (${unfit}) AS unfit
    FROM (SELECT ${identifier(column)} AS value, ${isInexact(column)} AS inexact FROM ${rows}) r, ${join(sources)}
    WHERE starts_with(r.value, '{')${join(nested, '')}
    GROUP BY ALL ORDER BY n DESC`;
}
