// LIKE, ILIKE and MATCH. The engine matches short patterns in time linear in the text. For longer patterns it would try all parts
// at each character, so it only filters by the longest part, and `text/pattern` matches the remaining texts.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import { piecesOf, type PatternKind } from '../../text/pattern.js';
import { limits } from '../syntax/limits.js';
import { bindAll, bindOnce } from './share.js';
import { nullOf, ranks, scalarValue, shared, type Value } from './value.js';

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

/** Applies the test only to texts that pass the cheaper condition `isPossible`. */
const tested = (text: Sql, isPossible: Sql, test: Sql): Sql =>
  sql`CASE WHEN ${isPossible} THEN ${test} WHEN ${text} IS NOT NULL THEN false END`;

/** A pattern without `%` matches only the whole string. */
export function like(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'like', pattern);
  return scalarValue('boolean', likeConstant(value.form('text'), pattern.literal));
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
  if (!isShort(pieces))
    return bindOnce(text, (t) =>
      tested(t, contains(longestOf(pieces))(t), hasPattern(t, 'like', sql`${pattern}`)),
    );
  // Without a group, the engine makes a LIKE of it, which tries every place of each part.
  return middle === null
    ? sql`regexp_full_match(${text}, ${regexOf(pieces)}, 's')`
    : sql`regexp_matches(${text}, ${`(${regexOf(middle)})`}, 's')`;
}

/** The text of a pattern `%text%`, which may occur anywhere; null for other patterns. */
const middleOf = (pieces: readonly string[]): readonly string[] | null =>
  pieces.length > 2 && pieces[0] === '' && pieces.at(-1) === '' ? pieces.slice(1, -1) : null;

const regexOf = (pieces: readonly string[]): string => pieces.map(escapeRegex).join('.*');

/** Ignores case. A pattern without `%` may match anywhere in the string. */
export function ilike(value: Value, pattern: Value): Value {
  if (typeof pattern.literal !== 'string') return ofRow(value, 'ilike', pattern);
  return scalarValue('boolean', ilikeConstant(value.form('text'), pattern.literal));
}

function ilikeConstant(text: Sql, pattern: string): Sql {
  const pieces = piecesOf(pattern);
  const anywhere = pieces.length === 1 ? pieces : middleOf(pieces);
  if (!isShort(pieces)) {
    const part = escapeRegex(beginning(longestOf(pieces), regexLengthMax));
    return bindOnce(text, (t) =>
      tested(t, holds(t, part, 'is'), hasPattern(t, 'ilike', sql`${pattern}`)),
    );
  }
  return anywhere === null
    ? sql`regexp_full_match(${text}, ${regexOf(pieces)}, 'is')`
    : holds(text, regexOf(anywhere), 'is');
}

const wordCharacter = String.raw`\p{L}\p{N}`;

/**
 * An escape in the JSON text of an array or object. It never stands for a letter or a digit: stored text has escapes only for
 * quotes, backslashes and control characters, as JSON.stringify prints it, whatever the client sent.
 */
const escape = String.raw`\\(?:u[0-9A-Fa-f]{4}|.)`;

/** What separates words. In JSON text, the letters of an escape do, too. */
const gaps = {
  string: `[^${wordCharacter}]+`,
  json: String.raw`(?:[^${wordCharacter}]|\\[bfnrt]|\\u[0-9a-f]{4})+`,
} as const;

type Gap = keyof typeof gaps;

const gapOf = ({ kinds }: Value): Gap =>
  kinds.includes('array') || kinds.includes('object') ? 'json' : 'string';

/** Passes on the text, and the same text with spaces in place of the escapes of JSON. */
function withWords(value: Value, body: (text: Sql, words: Sql) => Sql): Sql {
  if (gapOf(value) === 'string') return bindOnce(value.form('text'), (t) => body(t, t));
  return shared(value, (v) =>
    bindOnce(v.form('text'), (t) => {
      const separated = sql`regexp_replace(${t}, ${escape}, ' ', 'g')`;
      return body(
        t,
        sql`CASE WHEN ${v.form('rank')} >= ${word(ranks.array)} THEN ${separated} ELSE ${t} END`,
      );
    }),
  );
}

/** Whether the string has the words of the pattern as consecutive whole words, ignoring case. */
export function match(value: Value, pattern: Value): Value {
  const { literal } = pattern;
  if (typeof literal !== 'string') return ofRow(value, 'match', pattern);
  const test = (text: Sql, words: Sql) => matchConstant(text, words, literal, gapOf(value));
  return scalarValue('boolean', withWords(value, test));
}

/** Filters by the words in the text first, which is several times faster, and few rows have them. */
function matchConstant(text: Sql, separated: Sql, pattern: string, gap: Gap): Sql {
  const words = pattern.match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return sql`CASE WHEN ${text} IS NOT NULL THEN false END`;
  if (words.length > regexWordsMax || pattern.length > regexLengthMax)
    return tested(
      text,
      holds(text, beginning(longestOf(words), regexLengthMax), 'i'),
      hasPattern(separated, 'match', sql`${pattern}`),
    );
  const whole = `(^|[^${wordCharacter}])${words.join(gaps.string)}($|[^${wordCharacter}])`;
  return tested(text, holds(text, words.join(gaps[gap]), 'i'), holds(separated, whole, 'i'));
}

/** Matches patterns that come from rows. */
function ofRow(value: Value, kind: PatternKind, pattern: Value): Value {
  if (pattern.kinds.length === 0) return scalarValue('boolean', nullOf('boolean'));
  const length = word(limits.patternLength);
  const textOf = (each: Value) =>
    kind === 'match' ? withWords(each, (_text, words) => words) : each.form('text');
  const [text, wanted] = [textOf(value), textOf(pattern)];
  return scalarValue(
    'boolean',
    bindAll(
      [text, wanted],
      ([t = text, p = wanted]) =>
        sql`CASE WHEN length(${p}) <= ${length} THEN ${hasPattern(t, kind, p)} END`,
    ),
  );
}
