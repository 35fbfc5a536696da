// SQL for the comments and audit entries of events, over the rows that store them.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventArm, EventRelation } from '../../schema/event-relation.js';
import { entryKinds, feedbackIdStart, type EntryKind } from '../../schema/feedback.js';
import { timestampText } from '../value/timestamp-text.js';

const entryText = sql`'{"id":"' || id || '","_xact_id":"' || _xact_id || '","created":"' || ${timestampText(sql`created`)} || '",' || substr(origin, 2)`;

/** Under the ids of the objects and events that the entries are about. */
const entries = ({ arms }: EventRelation): Sql =>
  sql`(${join(
    arms.map(
      ({ rows }) =>
        sql`SELECT substr(object_id, ${BigInt(feedbackIdStart)}) AS object_id, root_span_id AS id, tags[1] AS kind, ${entryText} AS entry, _lossless, _xact_id, _position FROM ${rows}`,
    ),
    ' UNION ALL ',
  )})`;

/** Leaves out entries from before the deletion of their event, even if its id is used again. */
const sinceDeletion = (relation: EventRelation, deletions: Sql): Sql =>
  sql`(SELECT * FROM ${entries(relation)} LEFT JOIN (SELECT object_id, id, max(_xact_id) AS deleted FROM ${deletions} GROUP BY ALL) USING (object_id, id) WHERE deleted IS NULL OR _xact_id > deleted)`;

const listOf = (kind: EntryKind): Sql =>
  sql`'[' || (string_agg(entry, ',' ORDER BY _xact_id, _position) FILTER (kind = ${kind})) || ']'`;

/**
 * Parenthesised SELECT of (object_id, id) and the JSON arrays `comments` and `audit`, NULL where there are
 * none, oldest entry first; `_lossless` as of events.
 * @param relation the stored feedback of all objects that are read
 * @param deletions (object_id, id, _xact_id) of the deletions of their events
 */
export const feedbackByEvent = (relation: EventRelation, deletions: Sql): Sql =>
  sql`(SELECT object_id, id, bool_or(_lossless) AS exact, ${listOf('comment')} AS comments, ${listOf('audit')} AS audit FROM ${sinceDeletion(relation, deletions)} GROUP BY object_id, id)`;

/** The arm with the columns `comments` and `audit`. */
export const withFeedback = (arm: EventArm, feedback: Sql | undefined): EventArm =>
  feedback === undefined
    ? {
        ...arm,
        rows: sql`(SELECT *, CAST(NULL AS VARCHAR) AS comments, CAST(NULL AS VARCHAR) AS audit FROM ${arm.rows})`,
      }
    : {
        ...arm,
        rows: sql`(SELECT e.* REPLACE (e._lossless OR coalesce(f.exact, false) AS _lossless), f.comments, f.audit FROM ${arm.rows} e LEFT JOIN ${feedback} f USING (object_id, id))`,
        hasLossless: true,
      };

/** SELECT of (kind, JSON text), the comments before the audit entries, each oldest first. */
export function feedbackEntries(relation: EventRelation, deletions: Sql): Sql {
  const place = sql`list_position(${JSON.stringify(entryKinds)}::VARCHAR[], kind)`;
  return sql`SELECT kind, entry FROM ${sinceDeletion(relation, deletions)} ORDER BY ${place}, _xact_id, _position`;
}
