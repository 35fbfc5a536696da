// SQL for the events that a job removes: a SELECT of (object_id, id), with the feedback on them.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { feedbackPrefix } from '../../schema/feedback.js';

/** Parenthesised SELECT of the columns of all row versions of the relation that lists need. */
const versionsOf = ({ branches }: EventRelation): Sql =>
  branches.length === 0
    ? sql`(SELECT '' AS object_id, '' AS id, '' AS root_span_id, now()::TIMESTAMP AS created WHERE false)`
    : sql`(${join(
        branches.map(
          ({ rows, parts }) =>
            sql`SELECT object_id, id, root_span_id, created FROM ${parts?.narrow ?? rows}${
              parts === undefined || parts.conditions.length === 0
                ? sql``
                : sql` WHERE ${join(parts.conditions, ' AND ')}`
            }`,
        ),
        ' UNION ALL ',
      )})`;

/** @param events parenthesised SELECT of (object_id, id) */
const withFeedback = (events: Sql, feedback: EventRelation): Sql =>
  sql`WITH removed AS MATERIALIZED ${events}
    SELECT object_id, id FROM removed
    UNION SELECT rows.object_id, rows.id FROM ${versionsOf(feedback)} rows
      SEMI JOIN removed ON rows.object_id = ${feedbackPrefix} || removed.object_id
        AND rows.root_span_id = removed.id`;

/** The events of an object with these ids that have a row version in the relation. */
export const eventsWithIds = (
  relation: EventRelation,
  ids: readonly string[],
  feedback: EventRelation,
): Sql =>
  withFeedback(
    sql`(SELECT DISTINCT object_id, id FROM ${versionsOf(relation)}
      WHERE id IN (SELECT unnest(${ids}::VARCHAR[])))`,
    feedback,
  );

/** The events of an object whose ids a query finds. @param rows SELECT of `c0`, the id */
export const eventsFound = (objectId: string, rows: Sql, feedback: EventRelation): Sql =>
  withFeedback(
    sql`(SELECT DISTINCT ${objectId} AS object_id, c0::VARCHAR AS id FROM (${rows}))`,
    feedback,
  );

/** SELECT of one row if a row version of the relation was created before the time. @param cutoff microseconds since 1970 */
export const someOlder = (relation: EventRelation, cutoff: bigint): Sql =>
  sql`SELECT 1 AS found FROM ${versionsOf(relation)} WHERE created < make_timestamp(${cutoff}) LIMIT 1`;

/**
 * The events of expired traces: those of which each row version was created before the time. An event that moved to a trace
 * which has not expired stays.
 * @param cutoff microseconds since 1970
 */
export const expiredEvents = (
  relation: EventRelation,
  cutoff: bigint,
  feedback: EventRelation,
): Sql =>
  withFeedback(
    sql`(WITH versions AS ${versionsOf(relation)},
      traces AS (
        SELECT object_id, root_span_id, max(created) < make_timestamp(${cutoff}) AS is_expired
        FROM versions GROUP BY ALL)
      SELECT object_id, id FROM versions JOIN traces USING (object_id, root_span_id)
      GROUP BY ALL HAVING bool_and(is_expired))`,
    feedback,
  );
