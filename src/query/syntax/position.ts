// The source positions of tokens. The name of a token stream is the member of the JSON query that contains the text.
import type { ParserRuleContext, Token } from 'antlr4ng';
import type { TextPosition } from '../../errors.js';

export function positionOfToken(token: Token | null | undefined): TextPosition {
  const within = token?.inputStream?.name ?? '';
  const position = { line: token?.line ?? 1, column: (token?.column ?? 0) + 1 };
  return within === '' ? position : { ...position, within };
}

export const positionOf = (context: ParserRuleContext): TextPosition =>
  positionOfToken(context.start);
