// LIKE, ILIKE and MATCH as regular expressions of the engine.
import { sql, type Sql } from '../duckdb/sql.js';
import { nullOf, scalarValue, type Value } from './value.js';

/** Longer patterns exceed the memory that the engine gives a regular expression. */
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
  const test = (regex: Sql, hasWildcard: boolean) =>
    hasWildcard
      ? sql`regexp_full_match(${text}, ${regex}, 'is')`
      : sql`regexp_matches(${text}, ${regex}, 'is')`;
  if (typeof pattern.literal === 'string') {
    const { regex, hasWildcard } = likePattern(pattern.literal);
    return scalarValue('boolean', test(sql`${regex}`, hasWildcard));
  }
  const dynamic = pattern.facet('text');
  const regex = likeRegexSql(dynamic);
  return orNull(
    pattern,
    sql`CASE WHEN ${hasWildcardSql(dynamic)} THEN ${test(regex, true)} ELSE ${test(regex, false)} END`,
  );
}

const wordCharacter = String.raw`\p{L}\p{N}`;

/** The words of the pattern stand next to each other, as whole words, in any case. */
export function match(value: Value, pattern: Value): Value {
  const text = value.facet('text');
  const gap = `[^${wordCharacter}]+`;
  const test = (words: Sql) =>
    sql`regexp_matches(${text}, ${`(^|[^${wordCharacter}])`} || ${words} || ${`($|[^${wordCharacter}])`}, 'i')`;
  if (typeof pattern.literal === 'string') {
    const words = pattern.literal.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0)
      return scalarValue('boolean', sql`CASE WHEN ${text} IS NOT NULL THEN false END`);
    return scalarValue('boolean', test(sql`${words.join(gap)}`));
  }
  const words = sql`regexp_extract_all(${pattern.facet('text')}, ${`[${wordCharacter}]+`})`;
  return orNull(
    pattern,
    sql`CASE WHEN ${text} IS NOT NULL THEN len(${words}) > 0 AND ${test(sql`array_to_string(${words}, ${gap})`)} END`,
  );
}

const orNull = (pattern: Value, test: Sql): Value =>
  pattern.kinds.length === 0
    ? scalarValue('boolean', nullOf('boolean'))
    : scalarValue('boolean', test);
