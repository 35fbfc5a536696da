// ISO 8601: prints timestamps, and parses texts of rows.
import { sql, type Sql } from '../../duckdb/sql.js';
import { bindOnce } from './share.js';

/** ISO 8601 in UTC, with as many fractional digits as necessary. */
export const timestampText = (timestamp: Sql): Sql =>
  bindOnce(
    timestamp,
    (x) =>
      sql`CASE WHEN microsecond(${x}) % 1000000 = 0 THEN strftime(${x}, '%Y-%m-%dT%H:%M:%SZ') WHEN microsecond(${x}) % 1000 = 0 THEN strftime(${x}, '%Y-%m-%dT%H:%M:%S.%gZ') ELSE strftime(${x}, '%Y-%m-%dT%H:%M:%S.%fZ') END`,
  );

const offsetPattern = String.raw`[+-]([01]\d|2[0-3])(:?[0-5]\d)?`;
const isoPattern = String.raw`\d{4}(-\d\d(-\d\d([T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?(Z|${offsetPattern})?)?)?)?`;
const zonePattern = String.raw`[T ].*(Z|${offsetPattern})$`;

// The engine parses an offset only after seconds.
const noSeconds = String.raw`([T ]\d\d:\d\d)(Z|[+-])`;

/** A year, or a year and a month, is its first day. */
const wholeDate = (text: Sql): Sql =>
  sql`${text} || CASE length(${text}) WHEN 4 THEN '-01-01' WHEN 7 THEN '-01' ELSE '' END`;

/** NULL if the offset moves the instant out of the years 0 to 9999. A plain cast to TIMESTAMP would ignore the offset. */
const zonedTimestamp = (text: Sql): Sql => {
  const instant = sql`TRY_CAST(regexp_replace(${text}, ${noSeconds}, ${String.raw`\1:00\2`}) AS TIMESTAMPTZ) AT TIME ZONE 'UTC'`;
  return sql`CASE WHEN left(${text}, 4) NOT IN ('0000', '9999') OR year(${instant}) BETWEEN 0 AND 9999 THEN ${instant} END`;
};

export const parsedTimestamp = (text: Sql): Sql =>
  bindOnce(
    text,
    (x) =>
      sql`CASE WHEN NOT regexp_full_match(${x}, ${isoPattern}) THEN NULL WHEN regexp_matches(${x}, ${zonePattern}) THEN ${zonedTimestamp(x)} ELSE TRY_CAST(${wholeDate(x)} AS TIMESTAMP) END`,
  );
