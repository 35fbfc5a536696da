// Keeps what was last parsed: dashboards ask the same texts again and again, and a parse takes longer than planning.
import type { QueryAst } from '../../query/syntax/ast.js';
import { parseQuery } from '../../query/syntax/parse.js';

const keptMax = 200;
const keptLengthMax = 4_000;

/** The oldest first. */
const kept = new Map<string, QueryAst>();

/** @throws QueryError as `parseQuery`, also for a text that was refused before */
export function parsedQuery(text: string): QueryAst {
  const ast = kept.get(text) ?? parseQuery(text);
  kept.delete(text);
  if (text.length > keptLengthMax) return ast;
  kept.set(text, ast);
  const [oldest] = kept.keys();
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  return ast;
}
