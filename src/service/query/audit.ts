// The source `audit_log`: the entries of the audit logs of organisations as rows.
import { badRequest } from '../../errors.js';
import { auditRelation } from '../../query/catalog/audit-log.js';
import type { FilterBounds } from '../../query/filter-bounds.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { auditEntriesMax } from '../../schema/limits.js';
import type { QueryRequest } from '../../schema/request.js';
import type { WithCatalog } from '../context.js';

/** @throws RequestError 400 if the request names a version: entries never change, so the audit log has none */
export function refuseVersions({ version }: Pick<QueryRequest, 'version'>): void {
  if (version !== undefined && version !== null)
    throw badRequest('version: the audit log has no versions, filter by "created" instead');
}

/**
 * Reads the entries within the bounds on ids and times.
 * @throws RequestError 400 if there are more entries than a query may read
 */
export async function auditFor(
  { catalog }: WithCatalog,
  orgIds: readonly string[],
  { ids, createdMin, createdMax }: FilterBounds,
): Promise<EventRelation> {
  const found = await catalog.audit.read({
    orgIds,
    ids: ids ?? null,
    createdMin: createdMin ?? null,
    createdMax: createdMax ?? null,
    limit: auditEntriesMax + 1,
  });
  if (found.length > auditEntriesMax)
    throw badRequest(
      `audit_log: a query reads at most ${auditEntriesMax} entries: narrow it down with a filter on "created"`,
    );
  return auditRelation(found);
}
