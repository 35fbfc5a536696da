// POST /query: from the text of a query to a streamed body.
import { sourcesOf } from '../query/ast.js';
import { compileQuery } from '../query/compile.js';
import { feedbackByEvent } from '../query/feedback.js';
import { lookupsOf, type Lookups } from '../query/lookups.js';
import { parseQuery } from '../query/parse.js';
import { cursorOf } from '../query/query-cursor.js';
import type { EventRelation } from '../schema/event-relation.js';
import { feedbackObjectId } from '../schema/feedback.js';
import type { QueryRequest } from '../schema/request.js';
import { formatXactId } from '../schema/xact-id.js';
import type { Snapshot } from '../store/event-store.js';
import type { Caller, Services } from './context.js';
import { jsonBody } from './query-json.js';
import { parquetBody } from './query-parquet.js';
import { readableSources } from './query-sources.js';
import type { StreamedReply } from './reply.js';
import { readVersion, versionHeader } from './version.js';

const bodies = { json: jsonBody, parquet: parquetBody };

/** Reads as little as the filter allows; the filter itself is run on what is left. */
async function relationFor(
  snapshot: Snapshot,
  objectIds: readonly string[],
  { ids, rootSpanIds, xactMin, xactMax }: Lookups,
): Promise<EventRelation> {
  if (ids !== undefined) return snapshot.find(objectIds, { by: 'id', values: ids });
  if (rootSpanIds !== undefined)
    return snapshot.find(objectIds, { by: 'root_span_id', values: rootSpanIds });
  const range = { from: xactMin ?? null, to: xactMax ?? null };
  return snapshot.live(objectIds, snapshot.version, range);
}

/** Only a query that names them reads what was said about its events. */
const asksForFeedback = ({ query }: QueryRequest): boolean =>
  query.includes('comments') || query.includes('audit');

const withFeedback = (
  snapshot: Snapshot,
  objectIds: readonly string[],
  relation: EventRelation,
): EventRelation => ({
  ...relation,
  feedback: feedbackByEvent(
    snapshot.live(objectIds.map(feedbackObjectId)),
    snapshot.deletions(objectIds),
  ),
});

/**
 * @throws RequestError 400 for a query that does not parse or bind, a source that may not be read, a bad
 * version or a passed budget; 429 when too many queries wait
 */
export async function runQuery(
  services: Services,
  caller: Caller,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<StreamedReply> {
  const ast = parseQuery(request.query);
  const objects = readableSources(services, caller, sourcesOf(ast));
  const version = cursorOf(ast)?.version ?? readVersion(request.version, 'version');
  const snapshot = await services.store.snapshot(version ?? undefined);
  try {
    const context = {
      tzOffsetMinutes: request.tz_offset ?? 0,
      nowMicros: BigInt(Date.now()) * 1000n,
    };
    const objectIds = objects.map(({ id }) => id);
    const events = await relationFor(snapshot, objectIds, lookupsOf(ast, context));
    const relation = asksForFeedback(request) ? withFeedback(snapshot, objectIds, events) : events;
    const compiled = compileQuery(ast, { ...context, relation });
    const reply = await bodies[request.fmt ?? 'json']({ snapshot, ast, compiled, signal });
    const headers = { ...reply.headers, [versionHeader]: formatXactId(snapshot.version) };
    return { ...reply, headers };
  } finally {
    await snapshot.release();
  }
}
