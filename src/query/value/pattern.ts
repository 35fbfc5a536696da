// LIKE, ILIKE and MATCH as regular expressions of the engine.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import { bindOnce } from './share.js';
import { nullOf, scalarValue, type Value } from './value.js';

/** Much longer ones exceed the memory that the engine gives a regular expression; from a row: NULL. */
export const maximumPatternLength = 10_000;

const escapeRegex = (text: string): string =>
  text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

interface Pattern {
  readonly regex: string;
  readonly hasWildcard: boolean;
  /** What stands between a `%` at the start and one at the end, which may be anywhere; null without them. */
  readonly middle: { readonly regex: string; readonly text: string | null } | null;
}

const regexOf = (parts: readonly string[]): string =>
  parts
    .map((part) => {
      if (part === '%') return '.*';
      return part === String.raw`\%` ? '%' : escapeRegex(part);
    })
    .join('');

/** `%` is the only wildcard; a backslash before it makes it ordinary. */
function likePattern(pattern: string): Pattern {
  const parts = pattern.split(/(\\%|%)/);
  const isOpen = pattern.startsWith('%') && parts.at(-1) === '' && parts.at(-2) === '%';
  return {
    regex: regexOf(parts),
    hasWildcard: parts.includes('%'),
    middle: isOpen ? middleOf(parts.slice(2, -2)) : null,
  };
}

const middleOf = (parts: readonly string[]): Pattern['middle'] => ({
  regex: regexOf(parts),
  text: parts.includes('%') ? null : parts.join('').replaceAll(String.raw`\%`, '%'),
});

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
    const { regex, middle } = likePattern(pattern.literal);
    if (middle === null) return scalarValue('boolean', whole(sql`${regex}`));
    const found =
      middle.text === null
        ? sql`regexp_matches(${text}, ${middle.regex}, 's')`
        : sql`contains(${text}, ${middle.text})`;
    return scalarValue('boolean', found);
  }
  return orNull(pattern, (p) => whole(likeRegexSql(p)));
}

/** In any case; a pattern without `%` may stand anywhere in the string. */
export function ilike(value: Value, pattern: Value): Value {
  const text = value.facet('text');
  if (typeof pattern.literal === 'string') {
    const { regex, hasWildcard, middle } = likePattern(pattern.literal);
    const isWhole = hasWildcard && middle === null;
    return scalarValue('boolean', matches(text, sql`${middle?.regex ?? regex}`, isWhole));
  }
  return orNull(pattern, (p) =>
    bindOnce(text, (t) => {
      const regex = likeRegexSql(p);
      return sql`CASE WHEN ${hasWildcardSql(p)} THEN ${matches(t, regex, true)} ELSE ${matches(t, regex, false)} END`;
    }),
  );
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
  const test = bindOnce(text, (t) => {
    const noMatch = sql`WHEN ${t} IS NOT NULL THEN false END`;
    if (words.length === 0) return sql`CASE ${noMatch}`;
    // Most rows do not have the words at all, which the engine sees several times faster.
    const [anywhere, whole] = [sql`${words.join(gap)}`, hasWords(t, sql`${words.join(gap)}`)];
    return sql`CASE WHEN regexp_matches(${t}, ${anywhere}, 'i') THEN ${whole} ${noMatch}`;
  });
  return scalarValue('boolean', test);
}

const hasWords = (text: Sql, words: Sql): Sql =>
  sql`regexp_matches(${text}, ${`(^|[^${wordCharacter}])`} || ${words} || ${`($|[^${wordCharacter}])`}, 'i')`;

function matchWordsOf(text: Sql, pattern: Value): Value {
  const test = (list: Sql) =>
    bindOnce(
      text,
      (t) =>
        sql`CASE WHEN ${t} IS NOT NULL THEN len(${list}) > 0 AND ${hasWords(t, sql`array_to_string(${list}, ${gap})`)} END`,
    );
  return orNull(pattern, (p) =>
    bindOnce(sql`regexp_extract_all(${p}, ${`[${wordCharacter}]+`})`, test),
  );
}

/** For patterns that only the rows know. */
function orNull(pattern: Value, test: (text: Sql) => Sql): Value {
  if (pattern.kinds.length === 0) return scalarValue('boolean', nullOf('boolean'));
  const length = word(maximumPatternLength);
  const orNothing = bindOnce(
    pattern.facet('text'),
    (text) => sql`CASE WHEN length(${text}) <= ${length} THEN ${test(text)} END`,
  );
  return scalarValue('boolean', orNothing);
}
