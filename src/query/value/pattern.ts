// LIKE, ILIKE and MATCH. The engine tests short patterns, in time linear in the text. It would test all parts of longer
// ones at each character, so for these it only finds texts with the longest part of the pattern, and a function of ours
// tests them.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import { piecesOf, type PatternKind } from '../../text/pattern.js';
import { limits } from '../syntax/limits.js';
import { bindOnce } from './share.js';
import { nullOf, scalarValue, type Value } from './value.js';

/** Characters of a pattern that is tested by a regular expression. */
const regexLengthMax = 200;

/** Pieces between wildcards of such a pattern. */
const regexPiecesMax = 8;

/** Words of such a pattern: the engine tests more of them one by one at each character. */
const regexWordsMax = 4;

/** Characters of a text that is searched for: the engine compares all of them at each place where the first one is. */
const containedLengthMax = 64;

const escapeRegex = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const isShort = (pieces: readonly string[]): boolean =>
  pieces.length <= regexPiecesMax && pieces.join('%').length <= regexLengthMax;

/** By code points, so that none is cut. */
const beginning = (text: string, length: number): string =>
  text.length <= length ? text : Array.from(text).slice(0, length).join('');

const longestOf = (pieces: readonly string[]): string =>
  pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest));

const holds = (text: Sql, regex: string, options: 'i' | 'is'): Sql =>
  sql`regexp_matches(${text}, ${regex}, ${options === 'i' ? sql`'i'` : sql`'is'`})`;

const hasPattern = (text: Sql, kind: PatternKind, pattern: Sql): Sql =>
  sql`CAST(has_pattern(${text}, ${kind}, ${pattern}) AS BOOLEAN)`;

/** Of texts that pass `isPossible`, which is cheaper. */
const tested = (text: Sql, kind: PatternKind, pattern: string, isPossible: (text: Sql) => Sql) =>
  bindOnce(
    text,
    (t) =>
      sql`CASE WHEN ${isPossible(t)} THEN ${hasPattern(t, kind, sql`${pattern}`)} WHEN ${t} IS NOT NULL THEN false END`,
  );

/** A pattern without `%` is the whole string. */
export function like(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'like', pattern);
  return scalarValue('boolean', likeConstant(value.facet('text'), pattern.literal));
}

function likeConstant(text: Sql, pattern: string): Sql {
  const pieces = piecesOf(pattern);
  const [whole = ''] = pieces;
  if (pieces.length === 1) return sql`(${text} = ${whole})`;
  const middle = middleOf(pieces);
  const contains = (piece: string) => (t: Sql) =>
    sql`contains(${t}, ${beginning(piece, containedLengthMax)})`;
  const [only = '', ...more] = middle ?? [];
  if (middle !== null && more.length === 0 && only.length <= containedLengthMax)
    return contains(only)(text);
  if (!isShort(pieces)) return tested(text, 'like', pattern, contains(longestOf(pieces)));
  return middle === null
    ? sql`regexp_full_match(${text}, ${regexOf(pieces)}, 's')`
    : sql`regexp_matches(${text}, ${regexOf(middle)}, 's')`;
}

/** What stands between a `%` at the start and one at the end, which may be anywhere; null without them. */
const middleOf = (pieces: readonly string[]): readonly string[] | null =>
  pieces.length > 2 && pieces[0] === '' && pieces.at(-1) === '' ? pieces.slice(1, -1) : null;

const regexOf = (pieces: readonly string[]): string => pieces.map(escapeRegex).join('.*');

/** In any case; a pattern without `%` may stand anywhere in the string. */
export function ilike(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'ilike', pattern);
  return scalarValue('boolean', ilikeConstant(value.facet('text'), pattern.literal));
}

function ilikeConstant(text: Sql, pattern: string): Sql {
  const pieces = piecesOf(pattern);
  const anywhere = pieces.length === 1 ? pieces : middleOf(pieces);
  if (!isShort(pieces)) {
    const part = escapeRegex(beginning(longestOf(pieces), regexLengthMax));
    return tested(text, 'ilike', pattern, (t) => holds(t, part, 'is'));
  }
  return anywhere === null
    ? sql`regexp_full_match(${text}, ${regexOf(pieces)}, 'is')`
    : holds(text, regexOf(anywhere), 'is');
}

const wordCharacter = String.raw`\p{L}\p{N}`;

const gap = `[^${wordCharacter}]+`;

/** The words of the pattern stand next to each other, as whole words, in any case. */
export function match(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'match', pattern);
  return scalarValue('boolean', matchConstant(value.facet('text'), pattern.literal));
}

function matchConstant(text: Sql, pattern: string): Sql {
  const words = pattern.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0)
    return bindOnce(text, (t) => sql`CASE WHEN ${t} IS NOT NULL THEN false END`);
  // Most rows do not have the words at all, which the engine sees several times faster.
  const regex = words.join(gap);
  if (words.length > regexWordsMax || pattern.length > regexLengthMax)
    return tested(text, 'match', pattern, (t) =>
      holds(t, beginning(longestOf(words), regexLengthMax), 'i'),
    );
  const whole = `(^|[^${wordCharacter}])${regex}($|[^${wordCharacter}])`;
  return bindOnce(
    text,
    (t) =>
      sql`CASE WHEN ${holds(t, regex, 'i')} THEN ${holds(t, whole, 'i')} WHEN ${t} IS NOT NULL THEN false END`,
  );
}

/** For patterns that only the rows know. */
function ofRow(value: Value, kind: PatternKind, pattern: Value): Value {
  if (pattern.kinds.length === 0) return scalarValue('boolean', nullOf('boolean'));
  const length = word(limits.patternLength);
  const text = value.facet('text');
  return scalarValue(
    'boolean',
    bindOnce(
      pattern.facet('text'),
      (p) => sql`CASE WHEN length(${p}) <= ${length} THEN ${hasPattern(text, kind, p)} END`,
    ),
  );
}
