// `json_extract(x, 'a.b[0]')`: a part of a value, or of the JSON in a string.
import { hasEnginePath } from '../../duckdb/json-path.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { LiteralValue, Step } from '../syntax/ast.js';
import { limits } from '../syntax/limits.js';
import { extractedValue } from './json-path.js';
import { bindOnce } from './share.js';
import { jsonValue, shared, type Value } from './value.js';

const stepPattern =
  /\.?([^.[\]"]+)|\.?"((?:[^"\\]|\\.)*)"|\[(-?\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Parses a path; null for any other text. A leading `$` is the value itself. */
function parsePath(text: string): readonly Step[] | null {
  const steps: Step[] = [];
  const path = text.replace(/^\$(?=$|[.[])/, '');
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path);
    if (match === null) return null;
    const [, plain, quoted, index, key] = match;
    const name = quoted ?? key;
    if (name !== undefined) steps.push(name.replaceAll(/\\(.)/g, '$1'));
    else steps.push(index === undefined ? (plain ?? '') : Number(index));
  }
  return steps;
}

export function pathProblem(path: LiteralValue | undefined): string | null {
  if (typeof path !== 'string') return 'the path is a constant string';
  const steps = parsePath(path);
  if (steps === null) return `'${path}' is not a path such as 'a.b[0]'`;
  if (steps.length > limits.pathSteps) return `the path has more than ${limits.pathSteps} parts`;
  return steps.filter((step) => !hasEnginePath(step)).length > limits.nestedCalls
    ? `the path has more than ${limits.nestedCalls} parts that are '*' or empty`
    : null;
}

// The engine also accepts NaN, Infinity and trailing commas as JSON, which would reach the answer.
const notJson = String.raw`(?i)nan|inf|,\s*[\]}]`;

const strings = String.raw`"(\\.|[^"\\])*"`;

const strictJson = (text: Sql): Sql =>
  bindOnce(
    text,
    (x) =>
      sql`CASE WHEN json_valid(${x}) THEN CASE WHEN NOT regexp_matches(regexp_replace(${x}, ${strings}, '""', 'g'), ${notJson}) THEN nullif(CAST(json_extract(${x}, '$') AS VARCHAR), 'null') END END`,
  );

export function extractAt(value: Value, path: string): Value {
  const json = value.kinds.includes('string')
    ? shared(
        value,
        (v) =>
          sql`CASE WHEN ${v.form('rank')} = 3 THEN ${strictJson(v.form('string'))} ELSE ${v.form('raw')} END`,
      )
    : value.form('raw');
  return jsonValue(extractedValue(json, parsePath(path) ?? []));
}
