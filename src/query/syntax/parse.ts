// Parses query text. No other module creates a lexer or a parser.
import { CharStream, CommonTokenStream, type Token } from 'antlr4ng';
import { buildAst } from './build-ast.js';
import { buildExpression } from './build-expression.js';
import { buildSql } from './build-sql.js';
import type { Expr, QueryAst } from './ast.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { QueryParser, SqlTextContext, type QueryContext } from '../generated/QueryParser.js';
import { QueryError } from '../../errors.js';
import { limits } from './limits.js';
import { checkLength, checkNesting, withinStack } from './nesting.js';
import { positionOfToken } from './position.js';
import { SyntaxErrorListener } from './syntax-error.js';
import { clauseStarts, isClauseName } from './clause-start.js';
import { isSql, markSqlWords } from './sql-words.js';

/** @throws QueryError at the first token that does not fit the grammar */
export const parseQuery = (text: string): QueryAst =>
  withinStack(() => {
    const tree = parseTree(createParser(text));
    return tree instanceof SqlTextContext ? buildSql(tree) : buildAst(tree);
  });

/** A text that begins with SELECT, not followed by a colon, is SQL. */
export const parseTree = (parser: QueryParser): QueryContext | SqlTextContext =>
  isSql(tokensOf(parser)) ? parser.sqlText() : parser.query();

const tokensOf = ({ inputStream }: QueryParser): readonly Token[] =>
  (inputStream as CommonTokenStream).getTokens();

/** Stops at the limit, since a million tokens would take a second. */
class LimitedLexer extends QueryLexer {
  #tokens = 0;

  override nextToken(): Token {
    const token = super.nextToken();
    this.#tokens += 1;
    // The end of the text is also a token.
    if (this.#tokens > limits.tokens + 1)
      throw new QueryError(
        positionOfToken(token),
        `the query has more than ${limits.tokens} tokens`,
      );
    return token;
  }
}

/**
 * Parses one expression.
 * @param within the member of a JSON query that holds the text
 * @throws QueryError as `parseQuery`
 */
export const parseExpression = (text: string, within: string): Expr =>
  withinStack(() => buildExpression(createParser(text, within).expressionText().expr()));

/** The number of tokens. */
export const countTokens = (text: string, within: string): number =>
  tokensOf(createParser(text, within)).length - 1;

export function createParser(text: string, within = ''): QueryParser {
  checkLength(text, within);
  const characters = CharStream.fromString(text);
  characters.name = within;
  const lexer = new LimitedLexer(characters);
  lexer.removeErrorListeners();
  const stream = new CommonTokenStream(lexer);
  stream.fill();
  const tokens = stream.getTokens();
  // An expression of a JSON query has no SELECT.
  const isSelect = within === '' && isSql(tokens);
  if (isSelect) markSqlWords(tokens);
  const clauses = clauseStarts(tokens);
  checkNesting(tokens, clauses);
  markPercentSuffixes(tokens, clauses, isSelect);
  const parser = new QueryParser(stream);
  parser.removeErrorListeners();
  parser.addErrorListener(new SyntaxErrorListener(tokens, isSelect));
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
  QueryLexer.CASE,
  QueryLexer.CAST,
]);

const negatableOperators = new Set([
  QueryLexer.IN,
  QueryLexer.LIKE,
  QueryLexer.ILIKE,
  QueryLexer.MATCH,
  QueryLexer.INCLUDES,
  QueryLexer.CONTAINS,
  QueryLexer.BETWEEN,
]);

/** `50%` is a share if the next token cannot begin an operand. Otherwise `%` is the remainder operator, as in `10 % 3`. */
function markPercentSuffixes(
  tokens: readonly Token[],
  clauses: ReadonlySet<number>,
  isSelect: boolean,
): void {
  tokens.forEach((token, index) => {
    if (token.type !== QueryLexer.PERCENT || tokens[index - 1]?.type !== QueryLexer.NUMBER) return;
    const isRemainder = !clauses.has(index + 1) && beginsOperand(tokens, index + 1, isSelect);
    if (!isRemainder) token.type = QueryLexer.PERCENT_SUFFIX;
  });
}

function beginsOperand(tokens: readonly Token[], index: number, isSelect: boolean): boolean {
  const token = tokens[index];
  if (token === undefined) return false;
  // In SQL, the name of a clause ends the clause before it.
  if (!isSelect && isClauseName(token)) return true;
  if (!operandStarts.has(token.type)) return false;
  return token.type !== QueryLexer.NOT || !negatableOperators.has(tokens[index + 1]?.type ?? 0);
}
