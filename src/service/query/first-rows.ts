// Finds the transactions or traces of the first rows of a query by reading only narrow columns, so that JSON text is read for
// little more than the rows of the answer.
import { generateFirstRows } from '../../query/compile.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { greatest, least } from '../../schema/xact-id.js';
import { ofTransactions, withinTransactions } from '../../query/sql/slice.js';
import type { FirstRows } from '../../query/sql/first-rows.js';
import type { Sql } from '../../duckdb/sql.js';
import type { XactRange } from '../../store/event-store.js';
import { boundsOf, type SliceRequest } from './slices.js';

/** The largest limit for which the transactions of the rows are listed. */
const countMax = 1000;

/** The factor by which the number of ranges grows from one read to the next, until enough rows are found. */
const growth = 4;

/** The relation restricted to these transactions or traces; null if the restriction is not worth its cost. */
export async function relationOfFirstRows(request: SliceRequest): Promise<EventRelation | null> {
  const { prepared, options, bounds, relation, snapshot, objectIds } = request;
  const { limit } = prepared.bound;
  if (objectIds.length === 0 || limit === null || limit > countMax) return null;
  if (bounds.ids !== undefined || bounds.rootSpanIds !== undefined) return null;
  const ranges = snapshot.evenSlices(objectIds);
  if (ranges.length === 1) return null;
  const first = generateFirstRows(prepared, options);
  if (first === null) return null;
  const found = await search(request, first, ranges);
  // Includes the row at the cursor, whose sort value is read again.
  const { after = null } = options;
  if (first.by === 'trace') {
    const traces = [...found, ...(after === null ? [] : [after.rootSpanId])] as string[];
    return relation({ rootSpanIds: traces });
  }
  const xactIds = [...found, ...(after === null ? [] : [after.xactId])] as bigint[];
  const xactBounds = {
    xactMin: xactIds.reduce(least, 2n ** 63n),
    xactMax: xactIds.reduce(greatest, 0n),
  };
  return ofTransactions(await relation({ ...bounds, ...xactBounds }), xactIds);
}

async function search(
  request: SliceRequest,
  first: FirstRows,
  ranges: readonly XactRange[],
): Promise<ReadonlySet<unknown>> {
  const { snapshot, prepared, signal } = request;
  const queries = prepared.transactions === null ? whole(first) : growing(request, ranges);
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

/** For rows in transaction order: one query for each of the growing ranges. */
async function* growing(
  { prepared, options, bounds, relation }: SliceRequest,
  newestFirst: readonly XactRange[],
): AsyncIterable<Sql> {
  for (const range of grown(newestFirst, prepared.transactions === 'oldest')) {
    const rows = withinTransactions(await relation({ ...bounds, ...boundsOf(range) }), range);
    const first = generateFirstRows(prepared, { ...options, relation: rows });
    if (first !== null) yield first.rows;
  }
}

function grown(newestFirst: readonly XactRange[], isOldestFirst: boolean): readonly XactRange[] {
  const ranges: XactRange[] = [];
  for (let [start, count] = [0, 1]; start < newestFirst.length; start += count, count *= growth) {
    const end = Math.min(start + count, newestFirst.length);
    const [newest, oldest] = isOldestFirst
      ? [newestFirst.at(-end), newestFirst.at(-1 - start)]
      : [newestFirst[start], newestFirst[end - 1]];
    ranges.push({ from: oldest?.from ?? null, to: newest?.to ?? null });
  }
  return ranges;
}
