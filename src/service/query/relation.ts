// The relation of a query on events: the rows within the bounds of its filter, and their feedback if the query reads it.
import { feedbackByEvent } from '../../query/sql/feedback.js';
import type { FilterBounds } from '../../query/filter-bounds.js';
import type { QueryAst, Shape } from '../../query/syntax/ast.js';
import { namesOneOf } from '../../query/syntax/walk.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { feedbackObjectId } from '../../schema/feedback.js';
import type { Snapshot } from '../../store/event-store.js';

async function eventsFor(
  snapshot: Snapshot,
  objectIds: readonly string[],
  shape: Shape,
  { ids, rootSpanIds, xactMin, xactMax, createdMin, createdMax }: FilterBounds,
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

/** Fields that a request without a key may not read. */
export const privateFields: ReadonlySet<string> = new Set([...feedbackFields, 'org_id']);

/** The relation has all rows that pass the filter, and possibly others: the query still applies the filter. */
export async function relationFor(
  snapshot: Snapshot,
  objectIds: readonly string[],
  ast: QueryAst,
  bounds: FilterBounds,
): Promise<EventRelation> {
  const events = await eventsFor(snapshot, objectIds, ast.shape, bounds);
  if (!namesOneOf(ast, feedbackFields)) return events;
  const feedbackIds = objectIds.map(feedbackObjectId);
  const tombstones = snapshot.deletions([...objectIds, ...feedbackIds]);
  return { ...events, feedback: feedbackByEvent(snapshot.live(feedbackIds), tombstones) };
}
