// Plans a page: finds its end by reading narrow keys, so that wide columns are read only for the rows of the page.
import type { Sql } from '../../duckdb/sql.js';
import type { PagePosition } from '../../query/cursor/page-cursor.js';
import { keyColumns } from '../../query/page/fetch-rows.js';
import { countAdmitted, pageKeys, type PageRange } from '../../query/page/trace-page.js';
import type { EventColumn } from '../../schema/event-columns.js';
import type { Snapshot, XactRange } from '../../store/event-store.js';

export interface PagePlan {
  /** Null if the page is empty. */
  readonly range: PageRange | null;
  /** At least the number of rows. */
  readonly rows: number;
  /** The position at which the next page begins; null if this is the last page. */
  readonly next: PagePosition | null;
}

const smallestBlock = 256;

const blockFor = (limit: number): number => Math.max(smallestBlock, limit * 2);

/** The position in the first columns of a row of `pageKeys` or `pageWeights`. */
export const positionIn = ([xactId, rootSpanId, position]: readonly unknown[]): PagePosition => ({
  xactId: xactId as bigint,
  rootSpanId: rootSpanId as string,
  position: position as number,
});

export interface PageRequest {
  /** Parenthesised SELECT of the rows of all pages in a range of transactions. */
  readonly rows: (range: XactRange, columns?: readonly EventColumn[]) => Sql;
  /** See `Snapshot.growingRanges`. */
  readonly ranges: (before: bigint, rowsMin: number) => AsyncIterable<XactRange>;
  readonly after: PagePosition | null;
  /** The number of traces per page; null for all. */
  readonly limit: number | null;
  /** At least the number of rows of all pages. */
  readonly rowsMax: number;
  readonly signal: AbortSignal;
}

/** The largest transaction id. */
const endOfTime = 2n ** 63n - 1n;

interface Walk {
  readonly limit: number;
  readonly traces: Set<string>;
  until: PagePosition | null;
  rows: number;
}

/** Reads ranges until the page is full. */
export async function planPage(snapshot: Snapshot, request: PageRequest): Promise<PagePlan> {
  const { after, limit, rowsMax } = request;
  if (limit === 0) return { range: null, rows: 0, next: null };
  if (limit === null || limit >= rowsMax)
    return { range: { after, until: null }, rows: rowsMax, next: null };
  const walk: Walk = { limit, traces: new Set(), until: after, rows: 0 };
  const block = blockFor(limit);
  for await (const range of request.ranges(after?.xactId ?? endOfTime, block)) {
    const full = await walkRange(snapshot, request, range, walk);
    const { until, rows } = walk;
    if (full) return { range: { after, until }, rows, next: until };
  }
  const { until, rows } = walk;
  return { range: rows === 0 ? null : { after, until }, rows, next: null };
}

/** Adds the rows of a range to the page. Returns whether the page is full. */
async function walkRange(
  snapshot: Snapshot,
  request: PageRequest,
  range: XactRange,
  walk: Walk,
): Promise<boolean> {
  const rows = request.rows(range, keyColumns);
  for (let block = blockFor(walk.limit); ; block *= 4) {
    const query = pageKeys(rows, walk.until, range.from, block);
    const added = await walkRows(snapshot, query, request.signal, walk);
    if (added === null) return true;
    if (added < block) return false;
  }
}

/** Adds the rows of a query to the page, chunk by chunk. Returns their number; null if the page is full before their end. */
async function walkRows(
  snapshot: Snapshot,
  query: Sql,
  signal: AbortSignal,
  walk: Walk,
): Promise<number | null> {
  let added = 0;
  for await (const chunk of snapshot.stream(query, { lane: 'small', signal })) {
    const keys = chunk.map(positionIn);
    const admitted = countAdmitted(keys, walk.limit, walk.traces);
    walk.until = keys[admitted - 1] ?? walk.until;
    walk.rows += admitted;
    if (admitted < keys.length) return null;
    added += admitted;
  }
  return added;
}
