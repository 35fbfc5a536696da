// The keywords of SQL. They are keywords only in a text that begins with SELECT, and ordinary names elsewhere.
import type { Token } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { positionOfToken } from './position.js';

/** Token types by keyword, in lower case. */
const keywords: ReadonlyMap<string, number> = new Map([
  ['distinct', QueryLexer.DISTINCT],
  ['where', QueryLexer.WHERE],
  ['group', QueryLexer.GROUP],
  ['by', QueryLexer.BY],
  ['having', QueryLexer.HAVING],
  ['order', QueryLexer.ORDER],
  ['case', QueryLexer.CASE],
  ['when', QueryLexer.WHEN],
  ['then', QueryLexer.THEN],
  ['else', QueryLexer.ELSE],
  ['end', QueryLexer.END],
  ['cast', QueryLexer.CAST],
  ['between', QueryLexer.BETWEEN],
]);

const listed = 'list the sources behind FROM, separated by commas';

/** Keywords of other dialects after a source, an expression or a number, and what to write instead. */
const others: Readonly<Record<string, string>> = {
  join: listed,
  inner: listed,
  left: listed,
  right: listed,
  full: listed,
  cross: listed,
  union: listed,
  offset: "read on with the cursor of the answer: LIMIT 10 CURSOR '…'",
  over: 'group with GROUP BY',
};

const enders = new Set([QueryLexer.RIGHT_PAREN, QueryLexer.NUMBER]);

const textOf = (token: Token | undefined): string => token?.text?.toLowerCase() ?? '';

/** A clause has a colon after its name. */
export const isSql = ([first, second]: readonly Token[]): boolean =>
  first !== undefined &&
  (first.type === QueryLexer.SELECT || textOf(first) === 'with') &&
  second?.type !== QueryLexer.COLON;

/**
 * Sets the token types of SQL keywords.
 * @throws QueryError for a statement of SQL that is not supported
 */
export function markSqlWords(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const before = tokens[index - 1]?.type;
    if (before === QueryLexer.DOT || before === QueryLexer.AS) return;
    if (isKey(before, tokens[index + 1]?.type)) return;
    const text = textOf(token);
    if (index === 0 && text === 'with')
      throw refusal(token, 'WITH is not supported: write one SELECT over the sources');
    if (index > 0 && token.type === QueryLexer.SELECT)
      throw refusal(
        token,
        'subqueries are not supported: send the inner SELECT as a separate query',
      );
    if (before !== undefined && enders.has(before) && Object.hasOwn(others, text))
      throw refusal(token, `${text.toUpperCase()} is not supported: ${others[text]}`);
    if (token.type === QueryLexer.WORD) token.type = keywords.get(text) ?? token.type;
    const isLast = tokens[index + 1]?.type === -1;
    if (text === ';' && isLast) token.type = QueryLexer.SEMICOLON;
  });
}

/** Whether a token between these two is a key of an object. */
const isKey = (before: number | undefined, after: number | undefined): boolean =>
  (before === QueryLexer.LEFT_BRACE || before === QueryLexer.COMMA) && after === QueryLexer.COLON;

const refusal = (token: Token, reason: string): QueryError =>
  new QueryError(positionOfToken(token), reason);
