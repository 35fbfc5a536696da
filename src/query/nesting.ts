// Bounds on the depth of a query, which its parser and its SQL share.
import type { Token } from 'antlr4ng';
import { QueryError } from '../errors.js';
import { beginsClause } from './clause-start.js';
import { QueryLexer } from './generated/QueryLexer.js';

/** Deeper nesting would overflow the stack of the parser, and the engine refuses it as well. */
const maximumNesting = 100;

const opening = new Set([QueryLexer.LEFT_PAREN, QueryLexer.LEFT_BRACKET, QueryLexer.LEFT_BRACE]);
const closing = new Set([QueryLexer.RIGHT_PAREN, QueryLexer.RIGHT_BRACKET, QueryLexer.RIGHT_BRACE]);
const prefix = new Set([QueryLexer.NOT, QueryLexer.MINUS]);

export function checkNesting(tokens: readonly Token[]): void {
  const open: Token[] = [];
  let prefixes = 0;
  tokens.forEach((token, index) => {
    updateOpen(open, tokens, index);
    prefixes = prefix.has(token.type) ? prefixes + 1 : 0;
    if (open.length + prefixes > maximumNesting) {
      throw new QueryError(
        token.line,
        token.column + 1,
        `expression is nested deeper than ${maximumNesting} levels`,
      );
    }
  });
}

/** A `?` nests like a bracket; what ends its expression closes it. */
function updateOpen(open: Token[], tokens: readonly Token[], index: number): void {
  const type = tokens[index]?.type ?? 0;
  const token = tokens[index];
  if (token === undefined) return;
  if (opening.has(type) || type === QueryLexer.QUESTION) open.push(token);
  if (beginsClause(tokens, index)) open.length = 0;
  if (type === QueryLexer.COMMA || closing.has(type)) {
    while (open.at(-1)?.type === QueryLexer.QUESTION) open.pop();
  }
  if (closing.has(type)) open.pop();
}

/** Trees are walked recursively, and only their depth can exhaust the stack. */
export function withinStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new QueryError(1, 1, 'query is nested too deeply');
    throw error;
  }
}
