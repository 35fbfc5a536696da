// Where clauses begin: at a word before a `:` that stands first on its line or behind a `|`.
import type { Token } from 'antlr4ng';
import { QueryLexer } from '../generated/QueryLexer.js';

const isWord = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.type === QueryLexer.WORD ||
    (token.type >= QueryLexer.SELECT && token.type <= QueryLexer.INTERVAL));

/** True for tokens that a line break, a `|` or nothing at all comes before. */
export function isSeparated(tokens: readonly Token[], index: number): boolean {
  const previous = tokens[index - 1];
  const token = tokens[index];
  if (previous === undefined || token === undefined) return true;
  const lines = previous.text?.split('\n').length ?? 1;
  return previous.type === QueryLexer.PIPE || previous.line + lines - 1 < token.line;
}

export const beginsClause = (tokens: readonly Token[], index: number): boolean =>
  isWord(tokens[index]) &&
  tokens[index + 1]?.type === QueryLexer.COLON &&
  isSeparated(tokens, index);

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
