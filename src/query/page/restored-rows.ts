// SQL for the rows that a restore of an object to an earlier version inserts and deletes.
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

/** The columns that are not content: they can differ between two row versions with the same content. */
const metadataColumns = new Set(['_xact_id', '_position', '_lossless']);

const isUnchanged = join(
  Object.keys(eventColumns)
    .filter((column) => !metadataColumns.has(column))
    .map((column) => sql`p.${identifier(column)} IS NOT DISTINCT FROM q.${identifier(column)}`),
  ' AND ',
);

/** Past rows that were changed or deleted since. */
const changed = ({ past, present }: Versions): Sql =>
  sql`${fetchRows(past, [], null)} p ANTI JOIN ${fetchRows(present, [], null)} q ON ${isUnchanged}`;

/** Present rows that did not exist. */
const added = ({ past, present }: Versions): Sql =>
  sql`${fetchRows(present, [], null)} ANTI JOIN ${fetchRows(past, [], null)} USING (id)`;

/** SELECT of one row (restored, deleted): the numbers of rows to insert and to delete. */
export const restoreCounts = (versions: Versions): Sql =>
  sql`SELECT (SELECT count(*) FROM ${changed(versions)}) AS restored, (SELECT count(*) FROM ${added(versions)}) AS deleted`;

/** SELECT of `row`, the JSON text of each event to insert, oldest first. */
export const restoredEvents = (kind: EventObjectKind, versions: Versions): Sql =>
  eventTexts(
    kind,
    sql`SELECT ${eventList(kind)} FROM ${changed(versions)} ORDER BY _xact_id, root_span_id, _position`,
  );

/** SELECT of the ids of the events to delete. */
export const addedIds = (versions: Versions): Sql => sql`SELECT id FROM ${added(versions)}`;
