// SQL for the comments and audit entries of events, over the rows of the hidden objects that store them.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { EventBranch, EventRelation } from '../../schema/event-relation.js';
import { feedbackIdStart, feedbackPrefix, type EntryKind } from '../../schema/feedback.js';
import { timestampText } from '../value/timestamp-text.js';

const entryText = sql`'{"id":"' || id || '","_xact_id":"' || _xact_id || '","created":"' || ${timestampText(sql`created`)} || '",' || substr(origin, 2)`;

/** Parenthesised SELECT of the entries with the ids of the objects and events that they refer to. */
const entries = ({ branches }: EventRelation): Sql =>
  sql`(${join(
    branches.map(
      ({ rows }) =>
        sql`SELECT substr(object_id, ${BigInt(feedbackIdStart)}) AS object_id, root_span_id AS id, tags[1] AS kind, ${entryText} AS entry, _lossless, _xact_id, _position FROM ${rows}`,
    ),
    ' UNION ALL ',
  )})`;

const isOfFeedback = sql`starts_with(object_id, ${feedbackPrefix})`;

/** Parenthesised SELECT of (object_id, id, deleted): the last deletion of each event. See `event/deletions`. */
const lastDeletions = (tombstones: Sql): Sql =>
  sql`(SELECT CASE WHEN ${isOfFeedback} THEN substr(object_id, ${BigInt(feedbackIdStart)}) ELSE object_id END AS object_id, CASE WHEN ${isOfFeedback} THEN root_span_id ELSE id END AS id, max(_xact_id) AS deleted FROM ${tombstones} GROUP BY ALL)`;

/** Omits entries that are older than the last deletion of their event, even if its id is used again. */
const sinceDeletion = (relation: EventRelation, tombstones: Sql): Sql =>
  sql`(SELECT * FROM ${entries(relation)} LEFT JOIN ${lastDeletions(tombstones)} USING (object_id, id) WHERE deleted IS NULL OR _xact_id >= deleted)`;

const listOf = (kind: EntryKind): Sql =>
  sql`'[' || (string_agg(entry, ',' ORDER BY _xact_id, _position) FILTER (kind = ${kind})) || ']'`;

/**
 * Parenthesised SELECT of (object_id, id, exact, comments, audit). The last two are JSON arrays, oldest entry first, or NULL;
 * `exact` is `_lossless` of the entries.
 * @param relation the rows that store the feedback of all objects of the query
 * @param tombstones parenthesised SELECT of (object_id, id, root_span_id, _xact_id): those of the objects and of their feedback
 */
export const feedbackByEvent = (relation: EventRelation, tombstones: Sql): Sql =>
  sql`(SELECT object_id, id, bool_or(_lossless) AS exact, ${listOf('comment')} AS comments, ${listOf('audit')} AS audit FROM ${sinceDeletion(relation, tombstones)} GROUP BY object_id, id)`;

/** The branch with the columns `comments` and `audit`, which are NULL for tombstones. */
export const withFeedback = (branch: EventBranch, feedback: Sql | undefined): EventBranch =>
  feedback === undefined
    ? {
        ...branch,
        rows: sql`(SELECT *, CAST(NULL AS VARCHAR) AS comments, CAST(NULL AS VARCHAR) AS audit FROM ${branch.rows})`,
      }
    : {
        ...branch,
        rows: sql`(SELECT e.* REPLACE (e._lossless OR coalesce(f.exact, false) AS _lossless), CASE WHEN NOT e._deleted THEN f.comments END AS comments, CASE WHEN NOT e._deleted THEN f.audit END AS audit FROM ${branch.rows} e LEFT JOIN ${feedback} f USING (object_id, id))`,
        hasLossless: true,
      };

/** SELECT of the JSON texts of the entries of one kind, oldest first. */
export const entryTexts = (relation: EventRelation, tombstones: Sql, kind: EntryKind): Sql =>
  sql`SELECT entry FROM ${sinceDeletion(relation, tombstones)} WHERE kind = ${kind} ORDER BY _xact_id, _position`;
