// Truncates long values to their first characters.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { BoundExpr } from '../bound/bound-query.js';
import { fieldOf } from '../bound/fields.js';
import { bindOnce } from './share.js';
import { stringJson } from './value.js';

const wholeFields = new Set(['scores', 'metrics']);

/** Whether the expression is a JSON field or a path below one, except scores, metrics and short fields of the catalog, or the first of such values. */
export function isPreviewed(expression: BoundExpr): boolean {
  if (expression.kind === 'call')
    return expression.name === 'coalesce' && expression.args.every(isPreviewed);
  return (
    expression.kind === 'field' &&
    expression.isWhole !== true &&
    fieldOf(expression.field)?.type === 'json' &&
    !wholeFields.has(expression.field)
  );
}

/** Truncates JSON text: a string to its first characters, an array or object to those of its text, as a string. */
export const preview = (json: Sql, length: number): Sql =>
  bindOnce(json, (text) => {
    const cut = (whole: Sql): Sql =>
      sql`CASE WHEN length(${whole}) > ${BigInt(length)} THEN ${stringJson(sql`left(${whole}, ${BigInt(length)})`)} ELSE ${text} END`;
    return sql`CASE left(${text}, 1) WHEN '"' THEN ${cut(sql`json_extract_string(${text}, '$')`)} WHEN '[' THEN ${cut(text)} WHEN '{' THEN ${cut(text)} ELSE ${text} END`;
  });
