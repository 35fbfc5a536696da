// Limits the length and the nesting depth of a query, for the parser and for the engine.
import type { Token } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { limits } from './limits.js';
import { positionOfToken } from './position.js';

const operators = new Set([
  QueryLexer.AND,
  QueryLexer.OR,
  QueryLexer.EQUAL,
  QueryLexer.NULL_SAFE_EQUAL,
  QueryLexer.NOT_EQUAL,
  QueryLexer.LESS,
  QueryLexer.LESS_EQUAL,
  QueryLexer.GREATER,
  QueryLexer.GREATER_EQUAL,
  QueryLexer.PLUS,
  QueryLexer.MINUS,
  QueryLexer.STAR,
  QueryLexer.SLASH,
  QueryLexer.PERCENT,
  QueryLexer.INCLUDES,
  QueryLexer.CONTAINS,
  QueryLexer.LIKE,
  QueryLexer.ILIKE,
  QueryLexer.MATCH,
  QueryLexer.BETWEEN,
]);

const opening = new Set([
  QueryLexer.LEFT_PAREN,
  QueryLexer.LEFT_BRACKET,
  QueryLexer.LEFT_BRACE,
  QueryLexer.CASE,
]);
const closing = new Set([
  QueryLexer.RIGHT_PAREN,
  QueryLexer.RIGHT_BRACKET,
  QueryLexer.RIGHT_BRACE,
  QueryLexer.END,
]);
/** Tokens that nest what follows them, up to the end of the enclosing bracket. */
const branching = new Set([QueryLexer.QUESTION, QueryLexer.WHEN]);
const prefix = new Set([QueryLexer.NOT, QueryLexer.MINUS]);

const refusal = (token: Token, reason: string): QueryError =>
  new QueryError(positionOfToken(token), reason);

/** @throws QueryError */
export function checkLength({ length }: string, within = ''): void {
  if (length > limits.characters)
    throw new QueryError(
      { line: 1, column: 1, ...(within === '' ? {} : { within }) },
      `the query has ${length} characters, the limit is ${limits.characters}`,
    );
}

/**
 * @param clauses the indexes where clauses begin
 * @throws QueryError for a query that would overflow the stack of the parser, or take too long to parse or plan
 */
export function checkNesting(tokens: readonly Token[], clauses: ReadonlySet<number>): void {
  checkOperators(tokens);
  const open: Token[] = [];
  const calls = callsIn(tokens);
  let prefixes = 0;
  tokens.forEach((token, index) => {
    if (clauses.has(index)) open.length = 0;
    updateOpen(open, token);
    prefixes = prefix.has(token.type) ? prefixes + 1 : 0;
    if (open.length + prefixes > limits.nesting)
      throw refusal(token, `expression is nested deeper than ${limits.nesting} levels`);
    if (calls.has(token) && open.filter((each) => calls.has(each)).length > limits.nestedCalls)
      throw refusal(token, `functions are nested deeper than ${limits.nestedCalls} levels`);
  });
}

function callsIn(tokens: readonly Token[]): ReadonlySet<Token> {
  const calls = tokens.filter((_, index) => isCall(tokens, index));
  const excess = calls[limits.calls];
  if (excess !== undefined)
    throw refusal(excess, `more than ${limits.calls} calls of functions: request fewer at a time`);
  return new Set(calls);
}

/** Whether the bracket follows a name, and so begins a call. */
const isCall = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]?.type === QueryLexer.LEFT_PAREN && callees.has(tokens[index - 1]?.type ?? 0);

const callees = new Set([QueryLexer.WORD, QueryLexer.CAST]);

function checkOperators(tokens: readonly Token[]): void {
  const excess = tokens.filter(({ type }) => operators.has(type))[limits.operators];
  if (excess !== undefined)
    throw refusal(excess, `more than ${limits.operators} operators: use 'in' for long lists`);
}

function updateOpen(open: Token[], token: Token): void {
  const { type } = token;
  if (opening.has(type) || branching.has(type)) open.push(token);
  if (type === QueryLexer.COMMA || closing.has(type)) {
    while (branching.has(open.at(-1)?.type ?? 0)) open.pop();
  }
  if (closing.has(type)) open.pop();
}

/** Maps a stack overflow to an error. Trees are walked recursively, and only their depth can cause one. */
export function withinStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError)
      throw new QueryError({ line: 1, column: 1 }, 'query is nested too deeply');
    throw error;
  }
}
