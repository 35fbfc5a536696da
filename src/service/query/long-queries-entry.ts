// The entry of the thread that parses long queries.
import { parentPort } from 'node:worker_threads';
import { RequestError } from '../../errors.js';
import { parseJson } from '../../json/parse.js';
import type { Expr, QueryAst } from '../../query/syntax/ast.js';
import { readJsonQuery } from '../../query/syntax/json/query.js';
import { parseExpression, parseQuery } from '../../query/syntax/parse.js';

/** A query as text or as the text of JSON, or the text of a condition and the name of its parameter. */
export type LongQuery =
  | { readonly text: string }
  | { readonly json: string }
  | { readonly condition: string; readonly within: string };

export type ParsedQuery =
  | { readonly parsed: QueryAst | Expr }
  | { readonly refusal: Pick<RequestError, 'status' | 'message'> };

const port = parentPort!;

function parsed(query: LongQuery): QueryAst | Expr {
  if ('text' in query) return parseQuery(query.text);
  if ('json' in query) return readJsonQuery(parseJson(query.json));
  return parseExpression(query.condition, query.within);
}

function answer(query: LongQuery): ParsedQuery {
  try {
    return { parsed: parsed(query) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { refusal: { status: error.status, message: error.message } };
  }
}

port.on('message', (query: LongQuery) => port.postMessage(answer(query)));
