// What it takes to bring an object back to an earlier version, as SQL over its past and present rows.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { eventColumns } from '../../schema/event-columns.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { eventList, eventTexts } from './event-json.js';
import { fetchRows } from './fetch-rows.js';

interface Versions {
  readonly past: EventRelation;
  readonly present: EventRelation;
}

/** What two versions of a row with the same content may differ in. */
const ofTheWrite = new Set(['_xact_id', '_position', '_lossless']);

const isUnchanged = join(
  Object.keys(eventColumns)
    .filter((column) => !ofTheWrite.has(column))
    .map((column) => sql`p.${identifier(column)} IS NOT DISTINCT FROM q.${identifier(column)}`),
  ' AND ',
);

/** Rows that were changed or deleted since. */
const changed = ({ past, present }: Versions): Sql =>
  sql`${fetchRows(past, [], null)} p ANTI JOIN ${fetchRows(present, [], null)} q ON ${isUnchanged}`;

/** Rows that were not there. */
const added = ({ past, present }: Versions): Sql =>
  sql`${fetchRows(present, [], null)} ANTI JOIN ${fetchRows(past, [], null)} USING (id)`;

/** One row of two numbers: rows to restore, rows to delete. */
export const restoreCounts = (versions: Versions): Sql =>
  sql`SELECT (SELECT count(*) FROM ${changed(versions)}) AS restored, (SELECT count(*) FROM ${added(versions)}) AS deleted`;

/** The events to restore as they were, one VARCHAR a row, the oldest first. */
export const restoredEvents = (kind: EventObjectKind, versions: Versions): Sql =>
  eventTexts(
    kind,
    sql`SELECT ${eventList(kind)} FROM ${changed(versions)} ORDER BY _xact_id, root_span_id, _position`,
  );

/** Ids of the events to delete. */
export const addedIds = (versions: Versions): Sql => sql`SELECT id FROM ${added(versions)}`;
