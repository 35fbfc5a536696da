// The relation of a query on events: the rows that its lookups permit, and their feedback if the query reads it.
import { feedbackByEvent } from '../../query/sql/feedback.js';
import type { Lookups } from '../../query/lookups.js';
import type { QueryAst, Shape } from '../../query/syntax/ast.js';
import { namesOneOf } from '../../query/syntax/walk.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { feedbackObjectId } from '../../schema/feedback.js';
import type { Snapshot } from '../../store/event-store.js';

async function eventsFor(
  snapshot: Snapshot,
  objectIds: readonly string[],
  shape: Shape,
  { ids, rootSpanIds, xactMin, xactMax, createdMin, createdMax }: Lookups,
): Promise<EventRelation> {
  const isHistory = shape === 'versions';
  const find = (by: 'id' | 'root_span_id', values: readonly string[]) =>
    snapshot.find(objectIds, { by, values }, isHistory);
  if (ids !== undefined) return find('id', ids);
  if (rootSpanIds !== undefined) return find('root_span_id', rootSpanIds);
  const created = { from: createdMin ?? null, to: createdMax ?? null };
  const range = { from: xactMin ?? null, to: xactMax ?? null, created };
  return isHistory
    ? snapshot.versions(objectIds, range)
    : snapshot.live(objectIds, snapshot.version, range);
}

/** The fields that hold feedback on events. */
const feedbackFields: ReadonlySet<string> = new Set(['comments', 'audit']);

/** The fields of an experiment's rows that a fetch does not have. They are not public. */
export const keyedFields: ReadonlySet<string> = new Set([...feedbackFields, 'org_id']);

/** The relation has all rows that pass the filter, and possibly others: the query still applies the filter. */
export async function relationFor(
  snapshot: Snapshot,
  objectIds: readonly string[],
  ast: QueryAst,
  lookups: Lookups,
): Promise<EventRelation> {
  const events = await eventsFor(snapshot, objectIds, ast.shape, lookups);
  if (!namesOneOf(ast, feedbackFields)) return events;
  const feedbackIds = objectIds.map(feedbackObjectId);
  const tombstones = snapshot.deletions([...objectIds, ...feedbackIds]);
  return { ...events, feedback: feedbackByEvent(snapshot.live(feedbackIds), tombstones) };
}
