// Erasure: removes events of an object with all their versions, their feedback and the attachments that only they name.
import { badRequest } from '../../errors.js';
import { eventsFound, eventsWithIds } from '../../query/page/removed-rows.js';
import { feedbackObjectId } from '../../schema/feedback.js';
import type { EventObject, EventObjectKind } from '../../schema/event-row.js';
import type { PurgeRequest } from '../../schema/removal.js';
import type { Snapshot } from '../../store/event-store.js';
import { requirePrincipal } from '../access/access.js';
import { requireEventObject } from '../access/event-objects.js';
import type { Caller, Services } from '../context.js';
import { compiledOn } from '../query/compiled-run.js';
import { parsedCondition, preparedQuery } from '../query/parsed-queries.js';
import { onSnapshot } from '../query/read-rows.js';
import { noTypes } from '../../query/bind/path-types.js';
import { checkSize } from '../../query/syntax/size.js';
import { parseQuery } from '../../query/syntax/parse.js';
import type { Sql } from '../../duckdb/sql.js';
import { jsonReply, type Reply } from '../reply.js';
import { everyVersion, startRemoval } from './jobs.js';

/** @throws RequestError 400 unless exactly one is given, and the filter is not empty */
function checkRequest({ filter, ids }: PurgeRequest): void {
  if ((filter === undefined) === (ids === undefined))
    throw badRequest('filter and ids: expected exactly one of them');
  if (ids?.length === 0) throw badRequest('ids: expected at least one id');
  if (filter?.trim() === '')
    throw badRequest(
      'filter: expected a condition, got an empty text: delete the object to remove all of its events',
    );
}

/** SELECT of the ids of the live rows that pass the filter. */
async function idsThatPass(
  services: Services,
  caller: Caller,
  { kind, id }: EventObject,
  filter: string,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<Sql> {
  const query = parseQuery(`select: id | from: ${kind}('${id}')`);
  const ast = { ...query, filter: await parsedCondition(caller, filter, 'filter', signal) };
  checkSize(ast);
  const prepared = preparedQuery(ast);
  // A misspelt field is null in every row, and its negation is true in all of them.
  for (const warning of prepared.bound.warnings)
    throw badRequest(`filter: ${warning}: nothing is removed`);
  const { compiled } = await compiledOn(services, snapshot, {
    request: {},
    prepared,
    types: noTypes,
    objectIds: [id],
    promptSources: [],
    auditedIds: [],
    after: null,
    nowMicros: BigInt(Date.now()) * 1000n,
    signal,
  });
  return compiled.unordered;
}

/**
 * Starts a job that removes the events whose live row passes the filter, or those with the ids. When it answers, the job is on disk
 * and goes on after a crash.
 * @throws RequestError 403 for the object, 400 for a filter that does not parse or bind or an exceeded budget, 429 if too many
 * queries wait, 503 for a full disk
 */
export async function purgeEvents(
  services: Services,
  caller: Caller,
  kind: EventObjectKind,
  id: string,
  request: PurgeRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const by = requirePrincipal(caller);
  const object = requireEventObject(services, caller, kind, id);
  checkRequest(request);
  const jobId = await onSnapshot(services, caller, async (snapshot) => {
    const feedback = snapshot.versions([feedbackObjectId(object.id)], everyVersion);
    const { filter, ids = [] } = request;
    const events =
      filter === undefined
        ? eventsWithIds(
            await snapshot.find([object.id], { by: 'id', values: ids }, true),
            ids,
            feedback,
          )
        : eventsFound(
            object.id,
            await idsThatPass(services, caller, object, filter, snapshot, signal),
            feedback,
          );
    const job = { kind: 'purge', projectId: object.projectId, objectId: object.id, by } as const;
    return startRemoval(services, job, { snapshot, events, signal });
  });
  return jsonReply(JSON.stringify({ id: jobId }));
}
