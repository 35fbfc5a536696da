// Parses queries, and caches the ASTs and plans of recent texts, which dashboards repeat.
import { LRUCache } from 'lru-cache';
import { prepareQuery, type PreparedQuery } from '../../query/compile.js';
import type { Expr, QueryAst } from '../../query/syntax/ast.js';
import { isShort } from '../../query/syntax/effort.js';
import type { JsonObject } from '../../json/json.js';
import { stringifyJson } from '../../json/stringify.js';
import { readJsonQuery } from '../../query/syntax/json/query.js';
import { checkCharacters } from '../../query/syntax/json/texts.js';
import { checkLength } from '../../query/syntax/nesting.js';
import { parseExpression, parseQuery } from '../../query/syntax/parse.js';
import { clientOf, type Caller } from '../context.js';
import { parseLong } from './long-queries.js';

/** The size of the cache in characters of query text. */
const cacheSize = 400_000;

const asts = new LRUCache<string, QueryAst>({
  maxSize: cacheSize,
  maxEntrySize: cacheSize / 100,
  sizeCalculation: (_ast, text) => text.length + 1,
});

/**
 * Parses a query, at once if it is short. JSON queries are not cached, since reading one takes no longer than computing its cache key.
 * @param signal aborts when the client disconnects
 * @throws QueryError as `parseQuery` and `readJsonQuery`; RequestError as `parseLong`
 */
export const parsedQuery = (
  caller: Caller,
  query: string | JsonObject,
  signal: AbortSignal,
): Promise<QueryAst> | QueryAst =>
  typeof query === 'string' ? parsedText(caller, query, signal) : parsedJson(caller, query, signal);

function parsedText(
  caller: Caller,
  text: string,
  signal: AbortSignal,
): Promise<QueryAst> | QueryAst {
  const known = asts.get(text);
  if (known !== undefined) return known;
  const keep = (ast: QueryAst): QueryAst => {
    asts.set(text, ast);
    return ast;
  };
  if (isShort(text)) return keep(parseQuery(text));
  checkLength(text);
  return parseLong<QueryAst>({ text }, clientOf(caller), signal).then(keep);
}

function parsedJson(
  caller: Caller,
  query: JsonObject,
  signal: AbortSignal,
): Promise<QueryAst> | QueryAst {
  if (isShort(query)) return readJsonQuery(query);
  checkCharacters(query);
  return parseLong({ json: stringifyJson(query) }, clientOf(caller), signal);
}

/**
 * Parses a condition, at once if it is short.
 * @param within the name of the parameter that holds the text
 * @throws as `parsedQuery`
 */
export function parsedCondition(
  caller: Caller,
  condition: string,
  within: string,
  signal: AbortSignal,
): Promise<Expr> | Expr {
  if (isShort(condition)) return parseExpression(condition, within);
  checkLength(condition, within);
  return parseLong({ condition, within }, clientOf(caller), signal);
}

/** The plans of ASTs that are still referenced. */
const prepared = new WeakMap<QueryAst, PreparedQuery>();

/** @throws QueryError for a query that does not bind */
export function preparedQuery(ast: QueryAst): PreparedQuery {
  const known = prepared.get(ast) ?? prepareQuery(ast);
  prepared.set(ast, known);
  return known;
}
