// LIKE, ILIKE and MATCH. The engine matches short patterns in time linear in the text. For longer patterns it would try all parts
// at each character, so it only filters by the longest part, and `text/pattern` matches the remaining texts.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import { piecesOf, type PatternKind } from '../../text/pattern.js';
import { limits } from '../syntax/limits.js';
import { bindAll, bindOnce } from './share.js';
import { nullOf, scalarValue, type Value } from './value.js';

/** The longest pattern that is matched by a regular expression, in characters. */
const regexLengthMax = 200;

/** The largest number of pieces between wildcards of such a pattern. */
const regexPiecesMax = 8;

/** The largest number of words of such a pattern. The engine tries further words one by one at each character. */
const regexWordsMax = 4;

/** The longest text that the engine searches for, in characters. It compares the text wherever the first character occurs. */
const containedLengthMax = 64;

const escapeRegex = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const isShort = (pieces: readonly string[]): boolean =>
  pieces.length <= regexPiecesMax && pieces.join('%').length <= regexLengthMax;

/** The first characters, cut between code points. */
const beginning = (text: string, length: number): string =>
  text.length <= length ? text : Array.from(text).slice(0, length).join('');

const longestOf = (pieces: readonly string[]): string =>
  pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest));

const holds = (text: Sql, regex: string, options: 'i' | 'is'): Sql =>
  sql`regexp_matches(${text}, ${regex}, ${options === 'i' ? sql`'i'` : sql`'is'`})`;

const hasPattern = (text: Sql, kind: PatternKind, pattern: Sql): Sql =>
  sql`CAST(has_pattern(${text}, ${kind}, ${pattern}) AS BOOLEAN)`;

/** Matches only texts that pass the cheaper condition `isPossible`. */
const tested = (text: Sql, kind: PatternKind, pattern: string, isPossible: (text: Sql) => Sql) =>
  bindOnce(
    text,
    (t) =>
      sql`CASE WHEN ${isPossible(t)} THEN ${hasPattern(t, kind, sql`${pattern}`)} WHEN ${t} IS NOT NULL THEN false END`,
  );

/** A pattern without `%` matches only the whole string. */
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

/** The text of a pattern `%text%`, which may occur anywhere; null for other patterns. */
const middleOf = (pieces: readonly string[]): readonly string[] | null =>
  pieces.length > 2 && pieces[0] === '' && pieces.at(-1) === '' ? pieces.slice(1, -1) : null;

const regexOf = (pieces: readonly string[]): string => pieces.map(escapeRegex).join('.*');

/** Ignores case. A pattern without `%` may match anywhere in the string. */
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

/** Whether the string has the words of the pattern as consecutive whole words, ignoring case. */
export function match(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'match', pattern);
  return scalarValue('boolean', matchConstant(value.facet('text'), pattern.literal));
}

function matchConstant(text: Sql, pattern: string): Sql {
  const words = pattern.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0)
    return bindOnce(text, (t) => sql`CASE WHEN ${t} IS NOT NULL THEN false END`);
  // Filters by the words first, which is several times faster, and few rows have them.
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

/** Matches patterns that come from rows. */
function ofRow(value: Value, kind: PatternKind, pattern: Value): Value {
  if (pattern.kinds.length === 0) return scalarValue('boolean', nullOf('boolean'));
  const length = word(limits.patternLength);
  const [text, wanted] = [value.facet('text'), pattern.facet('text')];
  return scalarValue(
    'boolean',
    bindAll(
      [text, wanted],
      ([t = text, p = wanted]) =>
        sql`CASE WHEN length(${p}) <= ${length} THEN ${hasPattern(t, kind, p)} END`,
    ),
  );
}
