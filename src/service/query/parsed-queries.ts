// Caches the ASTs and plans of recent query texts, which dashboards repeat.
import { LRUCache } from 'lru-cache';
import { prepareQuery, type PreparedQuery } from '../../query/compile.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import type { JsonObject } from '../../json/json.js';
import { readJsonQuery } from '../../query/syntax/json/query.js';
import { parseQuery } from '../../query/syntax/parse.js';

/** The size of the cache in characters of query text. */
const cacheSize = 400_000;

const asts = new LRUCache<string, QueryAst>({
  maxSize: cacheSize,
  maxEntrySize: cacheSize / 100,
  sizeCalculation: (_ast, text) => text.length + 1,
});

/**
 * Parses a query. JSON queries are not cached, since reading one takes no longer than computing its cache key.
 * @throws QueryError as `parseQuery` and `readJsonQuery`
 */
export function parsedQuery(query: string | JsonObject): QueryAst {
  return typeof query === 'string' ? parsedText(query) : readJsonQuery(query);
}

/** The plans of ASTs that are still referenced. */
const prepared = new WeakMap<QueryAst, PreparedQuery>();

/** @throws QueryError for a query that does not bind */
export function preparedQuery(ast: QueryAst): PreparedQuery {
  const known = prepared.get(ast) ?? prepareQuery(ast);
  prepared.set(ast, known);
  return known;
}

function parsedText(text: string): QueryAst {
  const ast = asts.get(text) ?? parseQuery(text);
  asts.set(text, ast);
  return ast;
}
