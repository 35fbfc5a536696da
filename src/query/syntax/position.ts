// Where tokens stand: for messages. The name of their stream is the member of a JSON query that holds the text.
import type { ParserRuleContext, Token } from 'antlr4ng';
import type { TextPlace } from '../../errors.js';

export function positionOfToken(token: Token | null | undefined): TextPlace {
  const within = token?.inputStream?.name ?? '';
  const place = { line: token?.line ?? 1, column: (token?.column ?? 0) + 1 };
  return within === '' ? place : { ...place, within };
}

export const positionOf = (context: ParserRuleContext): TextPlace => positionOfToken(context.start);
