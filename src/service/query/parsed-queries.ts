// Keeps what was last parsed, and its plan: dashboards ask the same texts again and again.
import { LRUCache } from 'lru-cache';
import { prepareQuery, type PreparedQuery } from '../../query/compile.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import type { JsonObject } from '../../json/json.js';
import { readJsonQuery } from '../../query/syntax/json/query.js';
import { parseQuery } from '../../query/syntax/parse.js';

/** In characters of the texts. */
const keptSize = 400_000;

const kept = new LRUCache<string, QueryAst>({
  maxSize: keptSize,
  maxEntrySize: keptSize / 100,
  sizeCalculation: (_ast, text) => text.length + 1,
});

/**
 * One that is JSON is read anew, which takes no longer than it would to find it again.
 * @throws QueryError as `parseQuery` and `readJsonQuery`, also for a text that was refused before
 */
export function parsedQuery(query: string | JsonObject): QueryAst {
  return typeof query === 'string' ? parsedText(query) : readJsonQuery(query);
}

/** For as long as its AST is kept. */
const prepared = new WeakMap<QueryAst, PreparedQuery>();

/** @throws QueryError for what only shows when names are resolved */
export function preparedQuery(ast: QueryAst): PreparedQuery {
  const known = prepared.get(ast) ?? prepareQuery(ast);
  prepared.set(ast, known);
  return known;
}

function parsedText(text: string): QueryAst {
  const ast = kept.get(text) ?? parseQuery(text);
  kept.set(text, ast);
  return ast;
}
