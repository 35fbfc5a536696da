// What it takes to bring an object back to an earlier version, as SQL over its rows then and now.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { eventJson } from './event-json.js';
import { fetchRows } from './fetch-rows.js';

interface Versions {
  readonly then: EventRelation;
  readonly now: EventRelation;
}

/** Rows that were changed or deleted since. */
const changed = ({ then, now }: Versions): Sql =>
  sql`${fetchRows(then, [], null)} ANTI JOIN ${fetchRows(now, [], null)} USING (id, _xact_id)`;

/** Rows that were not there. */
const added = ({ then, now }: Versions): Sql =>
  sql`${fetchRows(now, [], null)} ANTI JOIN ${fetchRows(then, [], null)} USING (id)`;

/** One row of two numbers: rows to restore, rows to delete. */
export const restoreCounts = (versions: Versions): Sql =>
  sql`SELECT (SELECT count(*) FROM ${changed(versions)}) AS restored, (SELECT count(*) FROM ${added(versions)}) AS deleted`;

/** The events to restore as they were, one VARCHAR a row, the oldest first. */
export const restoredEvents = (kind: EventObjectKind, versions: Versions): Sql =>
  sql`SELECT ${eventJson(kind)} FROM ${changed(versions)} ORDER BY _xact_id, root_span_id, _position`;

/** Ids of the events to delete. */
export const addedIds = (versions: Versions): Sql => sql`SELECT id FROM ${added(versions)}`;
