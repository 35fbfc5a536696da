// Finds the transactions or traces of the first rows of a query by reading only narrow columns, so that JSON text is read for
// little more than the rows of the answer.
import { generateFirstRows } from '../../query/compile.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { maxBigint, minBigint } from '../../schema/xact-id.js';
import { ofTransactions, withinTransactions } from '../../query/sql/restrict-transactions.js';
import type { FirstRows } from '../../query/sql/first-rows.js';
import type { Sql } from '../../duckdb/sql.js';
import { boundsOf, type ChunkRequest } from './query-chunks.js';

/** The largest limit for which the transactions of the rows are listed. */
const countMax = 1000;

/** The factor by which the size of chunks grows from one read to the next, until enough rows are found. */
const growth = 4;

/** The relation restricted to these transactions or traces; null if the restriction is not worth its cost. */
export async function relationOfFirstRows(request: ChunkRequest): Promise<EventRelation | null> {
  const { prepared, options, bounds, relation, snapshot, objectIds } = request;
  const { limit } = prepared.bound;
  if (objectIds.length === 0 || limit === null || limit > countMax) return null;
  if (bounds.ids !== undefined || bounds.rootSpanIds !== undefined) return null;
  if (!snapshot.isLong(objectIds)) return null;
  const first = generateFirstRows(prepared, options);
  if (first === null) return null;
  const found = await search(request, first);
  // Includes the row at the cursor, whose sort value is read again.
  const { after = null } = options;
  if (first.by === 'trace') {
    const traces = [...found, ...(after === null ? [] : [after.rootSpanId])] as string[];
    return relation({ rootSpanIds: traces });
  }
  const xactIds = [...found, ...(after === null ? [] : [after.xactId])] as bigint[];
  const xactBounds = {
    xactMin: xactIds.reduce(minBigint, 2n ** 63n),
    xactMax: xactIds.reduce(maxBigint, 0n),
  };
  return ofTransactions(await relation({ ...bounds, ...xactBounds }), xactIds);
}

async function search(request: ChunkRequest, first: FirstRows): Promise<ReadonlySet<unknown>> {
  const { snapshot, prepared, signal } = request;
  const queries = prepared.transactions === null ? whole(first) : growing(request);
  const found = new Set<unknown>();
  let rows = 0;
  for await (const chunk of snapshot.streamEach(queries, { signal })) {
    for (const [key] of chunk) found.add(key);
    rows += chunk.length;
    if (rows >= first.count) break;
  }
  return found;
}

async function* whole({ rows }: FirstRows): AsyncIterable<Sql> {
  yield rows;
}

/** For rows in transaction order: one query for each of the growing chunks. */
async function* growing({
  snapshot,
  objectIds,
  prepared,
  options,
  bounds,
  relation,
}: ChunkRequest): AsyncIterable<Sql> {
  const chunks = snapshot.chunks(objectIds, {
    range: { from: null, to: null },
    isOldestFirst: prepared.transactions === 'oldest',
    isComplete: ({ bytes }, index) => bytes >= snapshot.chunkBytes * growth ** index,
  });
  for await (const chunk of chunks) {
    const rows = withinTransactions(await relation({ ...bounds, ...boundsOf(chunk) }), chunk);
    const first = generateFirstRows(prepared, { ...options, relation: rows });
    if (first !== null) yield first.rows;
  }
}
