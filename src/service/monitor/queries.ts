// GET and DELETE of running queries, and the last slow ones. Owners of all organisations of a query see it, and who runs it.
import { badRequest } from '../../errors.js';
import { permissions } from '../../schema/permission.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { jsonReply, type Reply } from '../reply.js';
import {
  elapsedOf,
  waitedOf,
  type NewQuery,
  type RunningQuery,
  type SlowQuery,
} from '../running-queries.js';

/** @throws RequestError 401 without a key */
function visible<T extends NewQuery>(
  { catalog }: Services,
  caller: Caller,
  queries: readonly T[],
): readonly T[] {
  const { userId, orgIds } = requirePrincipal(caller);
  const isOwned = (orgId: string) =>
    orgIds.includes(orgId) && catalog.grants.owns(userId, orgId, permissions);
  // A key of one organisation sees no queries by other keys of its user in another one.
  const isOwn = (query: NewQuery) =>
    query.userId === userId && query.orgIds.every((orgId) => orgIds.includes(orgId));
  return queries.filter((each) => isOwn(each) || each.orgIds.every(isOwned));
}

const shown = (query: RunningQuery) => ({
  id: query.id,
  query: query.text,
  state: query.times?.isWaiting === true ? 'waiting' : 'running',
  user_id: query.userId,
  project_ids: query.projectIds,
  started: new Date(query.started).toISOString(),
  elapsed_ms: elapsedOf(query),
  waited_ms: waitedOf(query),
});

const shownSlow = (query: SlowQuery) => ({
  id: query.id,
  query: query.text,
  user_id: query.userId,
  project_ids: query.projectIds,
  request_id: query.requestId,
  started: new Date(query.started).toISOString(),
  elapsed_ms: query.elapsed,
  waited_ms: query.waited,
  rows: query.weight?.rows ?? null,
  bytes: query.weight?.bytes ?? null,
});

/** @throws RequestError 401 without a key */
export function listQueries(services: Services, caller: Caller): Reply {
  const { runningQueries } = services;
  const objects = visible(services, caller, runningQueries.list()).map(shown);
  const slow = visible(services, caller, runningQueries.slow()).map(shownSlow);
  return jsonReply(JSON.stringify({ objects, slow }), { 'cache-control': 'no-store' });
}

/** @throws RequestError 401 without a key, 400 for a query that has ended or that the caller does not see */
export function cancelQuery(services: Services, caller: Caller, id: string): Reply {
  const query = visible(services, caller, services.runningQueries.list()).find(
    (each) => each.id === id,
  );
  if (query === undefined) throw badRequest(`no query with the id "${id}" that this key may use`);
  services.runningQueries.cancel(id);
  return jsonReply(JSON.stringify(shown(query)));
}
