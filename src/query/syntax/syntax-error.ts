// Turns errors of the parser into messages for users of the query language.
import {
  BaseErrorListener,
  NoViableAltException,
  Token,
  type ATNSimulator,
  type Parser,
  type RecognitionException,
  type Recognizer,
} from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { clauseLikeWords, clauseNames, isClauseName, isSeparated } from './clause-start.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { QueryParser } from '../generated/QueryParser.js';
import { positionOfToken } from './position.js';
import { didYouMean } from './suggest.js';

/** Clauses of other query languages, and what to write instead. */
const otherClauses: Readonly<Record<string, string>> = {
  'group by': "group with 'dimensions: …' and 'measures: …'",
  group: "group with 'dimensions: …' and 'measures: …'",
  'order by': "sort with 'sort: …'",
  order: "sort with 'sort: …'",
  where: "filter with 'filter: …'",
  having: "filter groups with 'final_filter: …'",
};

const otherOperators: Readonly<Record<string, string>> = {
  '==': "compare with '='",
  '&&': "write 'and'",
  '||': "write 'or', and 'concat(…)' to join texts",
  '!': "write 'not'",
  ';': "clauses end at a line break or '|'",
  '::': "write 'CAST(x AS type)' in SQL, or a function such as 'to_number(x)'",
};

export class SyntaxErrorListener extends BaseErrorListener {
  readonly #tokens: readonly Token[];
  readonly #isSql: boolean;

  constructor(tokens: readonly Token[], isSql: boolean) {
    super();
    this.#tokens = tokens;
    this.#isSql = isSql;
  }

  override syntaxError<T extends ATNSimulator>(
    recognizer: Recognizer<T>,
    offending: Token | null,
    _line: number,
    _column: number,
    _message: string,
    error: RecognitionException | null,
  ): void {
    const parser = recognizer as unknown as Parser;
    const token = offending ?? parser.getCurrentToken();
    throw new QueryError(
      positionOfToken(token),
      explain(parser, this.#tokens, { token, error, isSql: this.#isSql }),
    );
  }
}

interface Problem {
  readonly token: Token;
  readonly error: RecognitionException | null;
  readonly isSql: boolean;
}

function explain(parser: Parser, tokens: readonly Token[], problem: Problem): string {
  const { token, isSql } = problem;
  const clause = isSql ? null : explainClause(tokens, token);
  const advice = isSql ? sqlHint(parser) : hint(tokens, token);
  return (
    explainToken(tokens, token) ??
    clause ??
    `expected ${expected(parser, tokens, problem)}, found ${found(token)}${advice}`
  );
}

function explainToken(tokens: readonly Token[], token: Token): string | null {
  if (token.type === QueryLexer.UNCLOSED_STRING) return 'string is not closed';
  const operator = operatorAt(tokens, token.tokenIndex);
  if (operator !== null) return `unknown operator '${operator}': ${otherOperators[operator]}`;
  if (token.type === QueryLexer.UNKNOWN) return `unexpected character '${token.text}'`;
  return null;
}

/** An operator of another language, of which the parser rejected the first or the last character. */
function operatorAt(tokens: readonly Token[], index: number): string | null {
  const text = (at: number) => tokens[at]?.text ?? '';
  const adjoining = (at: number) => tokens[at]?.stop === (tokens[at + 1]?.start ?? 0) - 1;
  const pairs = [index - 2, index - 1, index]
    .filter((at) => adjoining(at))
    .map((at) => text(at) + text(at + 1))
    .concat(text(index));
  return pairs.find((pair) => Object.hasOwn(otherOperators, pair)) ?? null;
}

function explainClause(tokens: readonly Token[], token: Token): string | null {
  if (isClauseName(token)) return null;
  const index = token.tokenIndex;
  // After a source, the parser took the previous word as its shape.
  const words = clauseLikeWords(tokens, index) ?? clauseLikeWords(tokens, index - 1);
  if (words === null || clauseNames.includes(words.toLowerCase())) return null;
  const name = words.toLowerCase();
  const other = Object.hasOwn(otherClauses, name) ? `: ${otherClauses[name]}` : null;
  return `unknown clause '${words}'${other ?? didYouMean(name, clauseNames)}`;
}

const found = (token: Token): string => {
  if (token.type === Token.EOF) return 'the end of the query';
  const text = shortened(token.text ?? '');
  return /^['"]/.test(text) ? text : `'${text}'`;
};

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** Rules that are named in a message instead of the tokens with which they begin. */
const ruleWords: Readonly<Partial<Record<number, string>>> = {
  [QueryParser.RULE_sourceId]: 'an id',
  [QueryParser.RULE_alias]: 'an alias',
  [QueryParser.RULE_step]: 'a field name or index',
  [QueryParser.RULE_element]: 'a constant',
  [QueryParser.RULE_member]: 'a key',
  [QueryParser.RULE_word]: 'a name',
};

function expected(parser: Parser, tokens: readonly Token[], problem: Problem): string {
  const { token, isSql } = problem;
  const next = isSql ? 'an operator or the next clause' : "an operator, a line break or '|'";
  const rule = parser.context?.ruleIndex ?? -1;
  if (rule === QueryParser.RULE_query) {
    return isSeparated(tokens, token.tokenIndex) ? "a clause such as 'select:' or 'filter:'" : next;
  }
  const words = ruleWords[rule];
  if (words !== undefined) return words;
  if (isAfterNot(problem)) return "an operator such as 'in' or 'like'";
  const types = parser.getExpectedTokens().toArray();
  if (types.length > 0 && types.length <= 3)
    return [...new Set(types.map(tokenWords))].join(' or ');
  if (types.includes(QueryLexer.TRUE)) return 'an expression';
  return types.includes(QueryLexer.WHERE) ? 'the next clause' : next;
}

/** Whether the token is behind a NOT behind an operand. The parser has not taken the NOT then. */
const isAfterNot = ({ token, error }: Problem): boolean =>
  error instanceof NoViableAltException &&
  error.startToken !== token &&
  error.startToken?.type === QueryLexer.NOT;

function tokenWords(type: number): string {
  if (type === QueryLexer.NUMBER) return 'a number';
  if (type === QueryLexer.WORD) return 'a name';
  if (type === QueryLexer.SINGLE_QUOTED || type === QueryLexer.DOUBLE_QUOTED) return 'a string';
  if (type === Token.EOF) return 'the end of the query';
  return literalWords(type);
}

/** Names SQL keywords, whose tokens have no literal spelling. */
function literalWords(type: number): string {
  if (type === QueryLexer.SEMICOLON) return "';'";
  return QueryLexer.literalNames[type]?.toLowerCase() ?? QueryLexer.symbolicNames[type] ?? 'a name';
}

/** Operators of other languages that are words, and what to write instead. */
const otherWords: Readonly<Record<string, string>> = {
  between: "write 'x >= 1 and x <= 2'",
  case: "write 'condition ? value : other'",
};

/** Explains sources, which are tables in other dialects of SQL. */
const sqlHint = (parser: Parser): string =>
  parser.context?.ruleIndex === QueryParser.RULE_source
    ? " (a source is written with its ids: experiment('<id>'))"
    : '';

function hint(tokens: readonly Token[], token: Token): string {
  const word = token.text?.toLowerCase() ?? '';
  if (Object.hasOwn(otherWords, word)) return ` (${otherWords[word]})`;
  const previous = tokens[token.tokenIndex - 1];
  if (
    previous !== undefined &&
    isClauseName(previous) &&
    isSeparated(tokens, previous.tokenIndex)
  ) {
    return ` (clauses are written 'name: value')`;
  }
  if (token.type === QueryLexer.NUMBER && token.text?.startsWith('.') === true) {
    return ` (quote path parts that begin with a digit, as in metadata."1st")`;
  }
  const isUnclosed = tokens.some(({ type }) => type === QueryLexer.UNCLOSED_STRING);
  if (isUnclosed) return ' (one of the strings is not closed)';
  return '';
}
