// Text to parse tree: the only place that makes a lexer and a parser.
import { CharStream, CommonTokenStream, type Token } from 'antlr4ng';
import { buildAst } from './build-ast.js';
import type { QueryAst } from './ast.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { QueryParser, type QueryContext } from '../generated/QueryParser.js';
import { QueryError } from '../../errors.js';
import { limits } from './limits.js';
import { checkLength, checkNesting, withinStack } from './nesting.js';
import { SyntaxErrorListener } from './syntax-error.js';
import { beginsClause } from './clause-start.js';

/** @throws QueryError with the position of the first thing that does not fit the grammar. */
export const parseQuery = (text: string): QueryAst => withinStack(() => buildAst(parseTree(text)));

export const parseTree = (text: string): QueryContext => createParser(text).query();

/** Stops early: a million tokens would take a second. */
class LimitedLexer extends QueryLexer {
  #tokens = 0;

  override nextToken(): Token {
    const token = super.nextToken();
    this.#tokens += 1;
    // The end is one, too.
    if (this.#tokens > limits.tokens + 1)
      throw new QueryError(
        token.line,
        token.column + 1,
        `the query has more than ${limits.tokens} words, numbers, strings and signs`,
      );
    return token;
  }
}

export function createParser(text: string): QueryParser {
  checkLength(text);
  const lexer = new LimitedLexer(CharStream.fromString(text));
  lexer.removeErrorListeners();
  const stream = new CommonTokenStream(lexer);
  stream.fill();
  const tokens = stream.getTokens();
  checkNesting(tokens);
  markPercentSuffixes(tokens);
  const parser = new QueryParser(stream);
  parser.removeErrorListeners();
  parser.addErrorListener(new SyntaxErrorListener(tokens));
  return parser;
}

const operandStarts = new Set([
  QueryLexer.NUMBER,
  QueryLexer.WORD,
  QueryLexer.SINGLE_QUOTED,
  QueryLexer.DOUBLE_QUOTED,
  QueryLexer.LEFT_PAREN,
  QueryLexer.LEFT_BRACKET,
  QueryLexer.LEFT_BRACE,
  QueryLexer.MINUS,
  QueryLexer.NOT,
  QueryLexer.NULL,
  QueryLexer.TRUE,
  QueryLexer.FALSE,
  QueryLexer.INTERVAL,
  QueryLexer.SELECT,
  QueryLexer.DIMENSIONS,
  QueryLexer.MEASURES,
  QueryLexer.FROM,
  QueryLexer.FILTER,
  QueryLexer.FINAL_FILTER,
  QueryLexer.SORT,
  QueryLexer.SAMPLE,
  QueryLexer.CURSOR,
  QueryLexer.PREVIEW_LENGTH,
  QueryLexer.UNPIVOT,
  QueryLexer.PIVOT,
  QueryLexer.LIMIT,
]);

const negatableOperators = new Set([
  QueryLexer.IN,
  QueryLexer.LIKE,
  QueryLexer.ILIKE,
  QueryLexer.MATCH,
  QueryLexer.INCLUDES,
  QueryLexer.CONTAINS,
]);

/** `50%` is a half only where the next token cannot begin an operand: `10 % 3` is a remainder. */
function markPercentSuffixes(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    const follows = tokens[index - 1]?.type === QueryLexer.NUMBER;
    if (token.type === QueryLexer.PERCENT && follows && !beginsOperand(tokens, index + 1)) {
      token.type = QueryLexer.PERCENT_SUFFIX;
    }
  });
}

function beginsOperand(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  if (token === undefined || !operandStarts.has(token.type)) return false;
  if (token.type === QueryLexer.NOT) return !negatableOperators.has(tokens[index + 1]?.type ?? 0);
  return !beginsClause(tokens, index);
}
