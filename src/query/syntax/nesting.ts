// Limits the length and the nesting depth of a query, for the parser.
import type { Token } from 'antlr4ng';
import { QueryError } from '../../errors.js';
import { QueryLexer } from '../generated/QueryLexer.js';
import { limits } from './limits.js';
import { positionOfToken } from './position.js';

const opening = new Set([
  QueryLexer.LEFT_PAREN,
  QueryLexer.LEFT_BRACKET,
  QueryLexer.LEFT_BRACE,
  QueryLexer.CASE,
]);
const closing = new Set([
  QueryLexer.RIGHT_PAREN,
  QueryLexer.RIGHT_BRACKET,
  QueryLexer.RIGHT_BRACE,
  QueryLexer.END,
]);
/** Tokens that nest what follows them, up to the end of the enclosing bracket. */
const branching = new Set([QueryLexer.QUESTION, QueryLexer.WHEN]);
const prefix = new Set([QueryLexer.NOT, QueryLexer.MINUS]);

/** @throws QueryError */
export function checkLength({ length }: string, within = ''): void {
  if (length > limits.characters)
    throw new QueryError(
      { line: 1, column: 1, ...(within === '' ? {} : { within }) },
      `the query has ${length} characters, the limit is ${limits.characters}`,
    );
}

/** What follows a bracket, a `?` or a WHEN. */
interface Level {
  readonly type: number;
  /** One, and one for each prefix operator that precedes another one. */
  readonly depth: number;
  /** Whether a bracket must be closed or a `?` needs its `:`, so that no clause can begin. */
  isOpen: boolean;
}

/**
 * @param clauses the indexes where clauses begin
 * @throws QueryError for a query that would overflow the stack of the parser
 */
export function checkNesting(tokens: readonly Token[], clauses: ReadonlySet<number>): void {
  const levels: Level[] = [];
  let prefixes = 0;
  tokens.forEach((token, index) => {
    if (clauses.has(index) && !levels.some(({ isOpen }) => isOpen)) levels.length = 0;
    updateLevels(levels, token, Math.max(1, prefixes));
    prefixes = prefix.has(token.type) ? prefixes + 1 : 0;
    const depth = levels.reduce((sum, level) => sum + level.depth, prefixes);
    if (depth > limits.nesting)
      throw new QueryError(
        positionOfToken(token),
        `expression is nested deeper than ${limits.nesting} levels`,
      );
  });
}

function updateLevels(levels: Level[], { type }: Token, depth: number): void {
  if (opening.has(type) || branching.has(type))
    levels.push({ type, depth, isOpen: type !== QueryLexer.WHEN });
  if (type === QueryLexer.COLON) {
    const bracket = levels.findLastIndex((level) => opening.has(level.type));
    const condition = levels.findLast(({ isOpen }, index) => isOpen && index > bracket);
    if (condition !== undefined) condition.isOpen = false;
  }
  if (type === QueryLexer.COMMA || closing.has(type)) {
    while (branching.has(levels.at(-1)?.type ?? 0)) levels.pop();
  }
  if (closing.has(type)) levels.pop();
}

/** Maps a stack overflow to an error. Trees are walked recursively, and only their depth can cause one. */
export function withinStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError)
      throw new QueryError({ line: 1, column: 1 }, 'query is nested too deeply');
    throw error;
  }
}
