// Paths below a JSON column in the syntax of the engine.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { Step } from '../syntax/ast.js';
import { nullIf } from './share.js';

/** Whether the step is a call of its own. */
export const needsPointer = (step: Step): boolean => step === '' || step === '*';

const pathStep = (step: Step): string =>
  typeof step === 'number' ? `[${step}]` : `."${step.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** Divides the steps into runs that one path can express. The empty key and `*` require separate JSON pointers. */
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
