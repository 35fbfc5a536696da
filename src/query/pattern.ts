// LIKE, ILIKE and MATCH as regular expressions of the engine.
import { sql, type Sql } from '../duckdb/sql.js';
import { bindOnce } from './share.js';
import { nullOf, scalarValue, type Value } from './value.js';

/** Much longer ones exceed the memory that the engine gives a regular expression; from a row: NULL. */
export const maximumPatternLength = 10_000;

const escapeRegex = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

interface Pattern {
  readonly regex: string;
  readonly hasWildcard: boolean;
}

/** `%` is the only wildcard; a backslash before it makes it ordinary. */
function likePattern(pattern: string): Pattern {
  const parts = pattern.split(/(\\%|%)/);
  const regex = parts.map((part) => {
    if (part === '%') return '.*';
    return part === String.raw`\%` ? '%' : escapeRegex(part);
  });
  return { regex: regex.join(''), hasWildcard: parts.includes('%') };
}

/** The same for a pattern that is not known before the rows are. */
const likeRegexSql = (pattern: Sql): Sql =>
  sql`replace(replace(regexp_escape(${pattern}), ${String.raw`\\\%`}, '%'), ${String.raw`\%`}, '.*')`;

const hasWildcardSql = (pattern: Sql): Sql =>
  sql`contains(replace(${pattern}, ${String.raw`\%`}, ''), '%')`;

/** A pattern without `%` is the whole string. */
export function like(value: Value, pattern: Value): Value {
  const text = value.facet('text');
  const whole = (regex: Sql) => sql`regexp_full_match(${text}, ${regex}, 's')`;
  if (typeof pattern.literal === 'string') {
    return scalarValue('boolean', whole(sql`${likePattern(pattern.literal).regex}`));
  }
  return orNull(pattern, whole(likeRegexSql(pattern.facet('text'))));
}

/** In any case; a pattern without `%` may stand anywhere in the string. */
export function ilike(value: Value, pattern: Value): Value {
  const text = value.facet('text');
  if (typeof pattern.literal === 'string') {
    const { regex, hasWildcard } = likePattern(pattern.literal);
    return scalarValue('boolean', matches(text, sql`${regex}`, hasWildcard));
  }
  const either = bindOnce(text, (t) =>
    bindOnce(pattern.facet('text'), (p) => {
      const regex = likeRegexSql(p);
      return sql`CASE WHEN ${hasWildcardSql(p)} THEN ${matches(t, regex, true)} ELSE ${matches(t, regex, false)} END`;
    }),
  );
  return orNull(pattern, either);
}

const matches = (text: Sql, regex: Sql, isWhole: boolean): Sql =>
  isWhole
    ? sql`regexp_full_match(${text}, ${regex}, 'is')`
    : sql`regexp_matches(${text}, ${regex}, 'is')`;

const wordCharacter = String.raw`\p{L}\p{N}`;

const gap = `[^${wordCharacter}]+`;

/** The words of the pattern stand next to each other, as whole words, in any case. */
export function match(value: Value, pattern: Value): Value {
  const text = value.facet('text');
  if (typeof pattern.literal !== 'string') return matchWordsOf(text, pattern);
  const words = pattern.literal.match(/[\p{L}\p{N}]+/gu) ?? [];
  return scalarValue(
    'boolean',
    words.length === 0
      ? sql`CASE WHEN ${text} IS NOT NULL THEN false END`
      : hasWords(text, sql`${words.join(gap)}`),
  );
}

const hasWords = (text: Sql, words: Sql): Sql =>
  sql`regexp_matches(${text}, ${`(^|[^${wordCharacter}])`} || ${words} || ${`($|[^${wordCharacter}])`}, 'i')`;

function matchWordsOf(text: Sql, pattern: Value): Value {
  const words = sql`regexp_extract_all(${pattern.facet('text')}, ${`[${wordCharacter}]+`})`;
  const test = bindOnce(text, (t) =>
    bindOnce(
      words,
      (list) =>
        sql`CASE WHEN ${t} IS NOT NULL THEN len(${list}) > 0 AND ${hasWords(t, sql`array_to_string(${list}, ${gap})`)} END`,
    ),
  );
  return orNull(pattern, test);
}

/** For patterns that only the rows know. */
function orNull(pattern: Value, test: Sql): Value {
  if (pattern.kinds.length === 0) return scalarValue('boolean', nullOf('boolean'));
  const isShort = sql`length(${pattern.facet('text')}) <= ${{ parts: [String(maximumPatternLength)] }}`;
  return scalarValue('boolean', sql`CASE WHEN ${isShort} THEN ${test} END`);
}
