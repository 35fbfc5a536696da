// Paths below a JSON column in the syntax of the engine.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Step } from '../syntax/ast.js';
import { nullIf } from './share.js';

const needsPointer = (step: Step): boolean => step === '' || step === '*';

const pathStep = (step: Step): string =>
  typeof step === 'number' ? `[${step}]` : `."${step.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** Runs of steps that one path can express: the empty key and `*` need JSON pointers of their own. */
function pathsOf(steps: readonly Step[]): readonly string[] {
  const paths: string[] = [];
  let joins = false;
  for (const step of steps) {
    if (needsPointer(step)) paths.push(`/${step}`);
    else if (joins) paths.push(`${paths.pop()}${pathStep(step)}`);
    else paths.push(`$${pathStep(step)}`);
    joins = !needsPointer(step);
  }
  return paths;
}

/** JSON text of the part of a JSON text, `'null'` or NULL where there is none. */
export function extracted(json: Sql, steps: readonly Step[]): Sql {
  const nested = pathsOf(steps).reduce((inner, path) => sql`json_extract(${inner}, ${path})`, json);
  return steps.length === 0 ? json : sql`CAST(${nested} AS VARCHAR)`;
}

/** NULL for JSON null too. */
export const extractedValue = (json: Sql, steps: readonly Step[]): Sql =>
  steps.length === 0 ? json : nullIf(extracted(json, steps), sql`'null'`);

/** Digit for digit, for rows that hold numbers which the engine would respell. */
export const exactValue = (json: Sql, steps: readonly Step[]): Sql =>
  sql`json_exact(${json}, ${JSON.stringify(steps)})`;
