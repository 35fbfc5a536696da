// The exact text of a part of JSON. The engine extracts integers, strings and booleans as they are stored, and respells other
// numbers. JavaScript extracts these, which takes much longer, from rows in which the difference can show.
import { sql, word, type Sql } from '../../duckdb/sql.js';

/** The significant digits: without sign, point, exponent, and zeros at both ends. */
const significant = (text: Sql): Sql =>
  sql`trim(regexp_replace(${text}, '[eE].*$|[-.]', '', 'g'), '0')`;

/**
 * Whether the nearest double has other digits than the text of a number. A double holds all numbers of up to 15 digits, but fewer
 * digits, and then none, of those next to zero.
 */
export function isRespelt(text: Sql): Sql {
  const number = sql`TRY_CAST(${text} AS DOUBLE)`;
  const isLong = sql`(length(${text}) > 16 OR (length(${text}) > 5 AND abs(${number}) < 2.3e-308))`;
  return sql`CASE WHEN ${isLong} THEN ${significant(text)} <> ${significant(sql`CAST(${number} AS VARCHAR)`)} ELSE FALSE END`;
}

const fractionOrNested = String.raw`^(?:[\[{]|-?\d+[.eE])`;

/** Whether the engine may have respelt a part with this text. */
export const mayBeRespelt = (text: Sql): Sql => sql`regexp_matches(${text}, ${fractionOrNested})`;

const fraction = String.raw`\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)`;

/**
 * Whether the engine may respell some number of the JSON text of a row that prints its stored text. It respells none of a text that
 * it prints unchanged, and this takes a tenth of the time of looking at each number.
 */
export const hasRespelt = (isLossless: Sql, json: Sql): Sql =>
  sql`CASE WHEN ${isLossless} AND CAST(json_extract(${json}, '$') AS VARCHAR) <> ${json} THEN len(list_filter(regexp_extract_all(${json}, ${fraction}), lambda d: ${isRespelt(word('d'))})) > 0 END`;

/**
 * The exact text of a part of JSON.
 * @param isRespelt `hasRespelt` of the JSON
 * @param text the text of the part from the engine
 * @param exact the text of the part from JavaScript
 */
export const exactText = (isRespelt: Sql, text: Sql, exact: Sql): Sql =>
  sql`CASE WHEN ${isRespelt} AND ${mayBeRespelt(text)} THEN ${exact} ELSE ${text} END`;
