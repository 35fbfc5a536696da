// Keeps what was last parsed: dashboards ask the same texts again and again, and a parse takes longer than planning.
import { LRUCache } from 'lru-cache';
import type { QueryAst } from '../../query/syntax/ast.js';
import { parseQuery } from '../../query/syntax/parse.js';

/** In characters of the texts. */
const keptSize = 400_000;

const kept = new LRUCache<string, QueryAst>({
  maxSize: keptSize,
  maxEntrySize: keptSize / 100,
  sizeCalculation: (_ast, text) => text.length + 1,
});

/** @throws QueryError as `parseQuery`, also for a text that was refused before */
export function parsedQuery(text: string): QueryAst {
  const ast = kept.get(text) ?? parseQuery(text);
  kept.set(text, ast);
  return ast;
}
