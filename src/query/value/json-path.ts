// Paths below a JSON column in the syntax of the engine.
import { enginePath, engineStep, hasEnginePath } from '../../duckdb/json-path.js';
import { sql, word, type Sql } from '../../duckdb/sql.js';
import type { Step } from '../syntax/ast.js';
import { nullIf } from './share.js';

/** Divides the steps into runs that one path can express. Steps that need a JSON pointer are separate. */
function pathsOf(steps: readonly Step[]): readonly string[] {
  const paths: string[] = [];
  let joins = false;
  for (const step of steps) {
    if (!hasEnginePath(step)) paths.push(`/${step}`);
    else if (joins) paths.push(`${paths.pop()}${engineStep(step)}`);
    else paths.push(enginePath([step]));
    joins = hasEnginePath(step);
  }
  return paths;
}

/** The steps as one path of the engine; null if they need several. */
export function enginePathOf(steps: readonly Step[]): string | null {
  const [path, ...others] = pathsOf(steps);
  return path === undefined || others.length > 0 || !steps.every(hasEnginePath) ? null : path;
}

/** The text of an element of a list of extracted values; NULL for JSON null. */
export const valueIn = (list: Sql, index: number): Sql =>
  nullIf(sql`CAST(${list}[${word(index + 1)}] AS VARCHAR)`, sql`'null'`);

/** The JSON text at the path; `'null'` or NULL if there is none. */
export function extracted(json: Sql, steps: readonly Step[]): Sql {
  const nested = pathsOf(steps).reduce((inner, path) => sql`json_extract(${inner}, ${path})`, json);
  return steps.length === 0 ? json : sql`CAST(${nested} AS VARCHAR)`;
}

/** As `extracted`, but NULL for JSON null. */
export const extractedValue = (json: Sql, steps: readonly Step[]): Sql =>
  steps.length === 0 ? json : nullIf(extracted(json, steps), sql`'null'`);

/** As `extractedValue`, but digit for digit, for rows with numbers that the engine would respell. */
export const exactValue = (json: Sql, steps: readonly Step[]): Sql =>
  sql`json_exact(${json}, ${JSON.stringify(steps)})`;
