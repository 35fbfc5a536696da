// What the parser found wrong, in the words of a user of the language.
import {
  BaseErrorListener,
  NoViableAltException,
  Token,
  type ATNSimulator,
  type Parser,
  type RecognitionException,
  type Recognizer,
} from 'antlr4ng';
import { QueryError } from '../errors.js';
import { clauseLikeWords, isSeparated } from './clause-start.js';
import { QueryLexer } from './generated/QueryLexer.js';
import { QueryParser } from './generated/QueryParser.js';
import { didYouMean } from './suggest.js';

export const clauseNames = [
  'select',
  'dimensions',
  'measures',
  'from',
  'filter',
  'final_filter',
  'sort',
  'limit',
];

/** What people write who come from other languages. */
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
  '||': "write 'or'",
  '!': "write 'not'",
  ';': "clauses end at a line break or '|'",
};

export class SyntaxErrorListener extends BaseErrorListener {
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    super();
    this.#tokens = tokens;
  }

  override syntaxError<S extends Token, T extends ATNSimulator>(
    recognizer: Recognizer<T>,
    offending: S | null,
    line: number,
    column: number,
    _message: string,
    error: RecognitionException | null,
  ): void {
    const parser = recognizer as unknown as Parser;
    const token = offending ?? parser.getCurrentToken();
    throw new QueryError(line, column + 1, explain(parser, this.#tokens, token, error));
  }
}

function explain(
  parser: Parser,
  tokens: readonly Token[],
  token: Token,
  error: RecognitionException | null,
): string {
  return (
    explainToken(tokens, token) ??
    explainClause(parser, tokens, token) ??
    `expected ${expected(parser, error, token)}, found ${found(token)}${hint(tokens, token)}`
  );
}

function explainToken(tokens: readonly Token[], token: Token): string | null {
  if (token.type === QueryLexer.UNCLOSED_STRING) return 'string is not closed';
  const operator = operatorAt(tokens, token.tokenIndex);
  if (operator !== null) return `unknown operator '${operator}': ${otherOperators[operator]}`;
  if (token.type === QueryLexer.UNKNOWN) return `unexpected character '${token.text}'`;
  return null;
}

/** An operator of another language of which the parser refused the first or the last character. */
function operatorAt(tokens: readonly Token[], index: number): string | null {
  const text = (at: number) => tokens[at]?.text ?? '';
  const adjoining = (at: number) => tokens[at]?.stop === (tokens[at + 1]?.start ?? 0) - 1;
  const pairs = [index - 1, index]
    .filter(adjoining)
    .map((at) => text(at) + text(at + 1))
    .concat(text(index));
  return pairs.find((pair) => Object.hasOwn(otherOperators, pair)) ?? null;
}

function explainClause(parser: Parser, tokens: readonly Token[], token: Token): string | null {
  const words = clauseLikeWords(tokens, token.tokenIndex);
  if (words === null || isClauseToken(token)) return notAtClause(parser, token);
  const name = words.toLowerCase();
  const other = Object.hasOwn(otherClauses, name) ? `: ${otherClauses[name]}` : null;
  return `unknown clause '${words}'${other ?? didYouMean(name, clauseNames)}`;
}

const isClauseToken = (token: Token): boolean =>
  token.type >= QueryLexer.SELECT && token.type <= QueryLexer.LIMIT;

/** At the level of clauses nothing but a clause may stand. */
function notAtClause(parser: Parser, token: Token): string | null {
  if (parser.context?.ruleIndex !== QueryParser.RULE_query) return null;
  return `expected a clause such as 'select:' or 'filter:', found ${found(token)}`;
}

const found = (token: Token): string =>
  token.type === Token.EOF ? 'the end of the query' : `'${shortened(token.text ?? '')}'`;

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

const ruleWords: Readonly<Partial<Record<number, string>>> = {
  [QueryParser.RULE_expr]: 'an expression',
  [QueryParser.RULE_primary]: 'an expression',
  [QueryParser.RULE_items]: 'an expression',
  [QueryParser.RULE_item]: 'an expression',
  [QueryParser.RULE_sortItem]: 'an expression',
  [QueryParser.RULE_source]: 'a source such as experiment(<id>)',
  [QueryParser.RULE_sourceId]: 'an id',
  [QueryParser.RULE_alias]: 'an alias',
  [QueryParser.RULE_step]: 'a field name or index',
  [QueryParser.RULE_literal]: 'a constant',
  [QueryParser.RULE_element]: 'a constant',
  [QueryParser.RULE_member]: 'a key',
};

function expected(parser: Parser, error: RecognitionException | null, token: Token): string {
  const atStart = !(error instanceof NoViableAltException) || error.startToken === token;
  const types = atStart ? parser.getExpectedTokens().toArray() : [];
  if (types.includes(QueryLexer.TRUE)) return 'an expression';
  if (types.length > 0 && types.length <= 3) return types.map(tokenWords).join(' or ');
  if (types.includes(QueryLexer.AND)) return "an operator or the clause's end";
  return ruleWords[parser.context?.ruleIndex ?? -1] ?? 'something else';
}

function tokenWords(type: number): string {
  if (type === QueryLexer.NUMBER) return 'a number';
  if (type === QueryLexer.WORD) return 'a name';
  if (type === Token.EOF) return 'the end of the query';
  return literalWords(type);
}

const literalWords = (type: number): string =>
  QueryLexer.literalNames[type]?.toLowerCase() ?? 'a name';

function hint(tokens: readonly Token[], token: Token): string {
  const previous = tokens[token.tokenIndex - 1];
  if (previous !== undefined && isClauseToken(previous) && isSeparated(tokens, previous.tokenIndex)) {
    return ` (clauses are written 'name: value')`;
  }
  if (token.type === QueryLexer.NUMBER && token.text?.startsWith('.') === true) {
    return ` (quote path parts that begin with a digit, as in metadata."1st")`;
  }
  return '';
}
