// Finds the tokens at which clauses begin: a word before a `:` that is the first on its line or follows a `|`. Elsewhere on a line,
// only the name of a clause begins one, and only outside of brackets and of `?` … `:`.
import type { Token } from 'antlr4ng';
import { QueryLexer } from '../generated/QueryLexer.js';

const isWord = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.type === QueryLexer.WORD ||
    (token.type >= QueryLexer.SELECT && token.type <= QueryLexer.INTERVAL));

/** Whether the token is the first one, or follows a line break or a `|`. */
export function isSeparated(tokens: readonly Token[], index: number): boolean {
  const previous = tokens[index - 1];
  const token = tokens[index];
  if (previous === undefined || token === undefined) return true;
  const lines = previous.text?.split('\n').length ?? 1;
  return previous.type === QueryLexer.PIPE || previous.line + lines - 1 < token.line;
}

const isBeforeColon = (tokens: readonly Token[], index: number): boolean =>
  tokens[index + 1]?.type === QueryLexer.COLON;

/** A keyword that names a clause. */
export const isClauseName = (token: Token | undefined): boolean =>
  token !== undefined && token.type >= QueryLexer.SELECT && token.type <= QueryLexer.LIMIT;

export const clauseNames: readonly string[] = QueryLexer.literalNames
  .slice(QueryLexer.SELECT, QueryLexer.LIMIT + 1)
  .map((literal) => literal!.slice(1, -1));

const opening = new Set([
  QueryLexer.LEFT_PAREN,
  QueryLexer.LEFT_BRACKET,
  QueryLexer.LEFT_BRACE,
  QueryLexer.QUESTION,
]);

const closing = new Set([
  QueryLexer.RIGHT_PAREN,
  QueryLexer.RIGHT_BRACKET,
  QueryLexer.RIGHT_BRACE,
  QueryLexer.COLON,
]);

/** The indexes of the first tokens of clauses. */
export function clauseStarts(tokens: readonly Token[]): ReadonlySet<number> {
  const starts = new Set<number>();
  let open = 0;
  tokens.forEach((token, index) => {
    const canBegin = isBeforeColon(tokens, index) && isWord(token);
    if (canBegin && (isSeparated(tokens, index) || (open === 0 && isClauseName(token)))) {
      starts.add(index);
      open = 0;
    }
    if (opening.has(token.type)) open += 1;
    else if (closing.has(token.type)) open = Math.max(0, open - 1);
  });
  return starts;
}

/** The words of a misspelt clause such as `group by:`, or null. */
export function clauseLikeWords(tokens: readonly Token[], index: number): string | null {
  if (!isWord(tokens[index]) || !isSeparated(tokens, index)) return null;
  const words: string[] = [];
  let next = index;
  while (isWord(tokens[next]) && words.length < 3) {
    words.push(tokens[next]?.text ?? '');
    next += 1;
  }
  const name = words.slice(0, 2).join(' ').toLowerCase();
  if (tokens[next]?.type === QueryLexer.COLON) return words.join(' ');
  return name === 'group by' || name === 'order by' ? name : null;
}
