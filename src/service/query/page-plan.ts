// Plans a page: finds its end by reading narrow keys, so that wide columns are read only for the rows of the page.
import type { Sql } from '../../duckdb/sql.js';
import type { PagePosition } from '../../query/cursor/page-cursor.js';
import { keyColumns } from '../../query/page/fetch-rows.js';
import { countAdmitted, pageKeys, type PageRange } from '../../query/page/trace-page.js';
import type { EventColumn } from '../../schema/event-columns.js';
import type { Chunk, ChunkOrder, Snapshot, XactRange } from '../../store/event-store.js';

export interface PagePlan {
  /** Null if the page is empty. */
  readonly range: PageRange | null;
  /** The position at which the next page begins; null if this is the last page. */
  readonly next: PagePosition | null;
}

const smallestBlock = 256;

/** The most rows that a chunk is made to have because the chunks before it were not enough. */
const grownRowsMax = 2 ** 17;

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
  /** See `Snapshot.chunks`. */
  readonly chunks: (order: ChunkOrder) => AsyncIterable<Chunk>;
  readonly after: PagePosition | null;
  /** The number of traces per page; null for all. */
  readonly limit: number | null;
  /** At least the number of rows of all pages. */
  readonly rowsMax: number;
  readonly signal: AbortSignal;
}

interface Walk {
  readonly limit: number;
  readonly traces: Set<string>;
  until: PagePosition | null;
}

/** Reads chunks, each with twice as many rows as the one before, until the page is full. */
export async function planPage(snapshot: Snapshot, request: PageRequest): Promise<PagePlan> {
  const { after, limit, rowsMax } = request;
  if (limit === 0) return { range: null, next: null };
  if (limit === null || limit >= rowsMax) return { range: { after, until: null }, next: null };
  const walk: Walk = { limit, traces: new Set(), until: after };
  const block = blockFor(limit);
  const chunks = request.chunks({
    range: { from: null, to: after?.xactId ?? null },
    isComplete: ({ liveRows }, index) =>
      liveRows >= Math.max(block, Math.min(block * 2 ** index, grownRowsMax)),
  });
  for await (const chunk of chunks) {
    const full = await walkChunk(snapshot, request, chunk, walk);
    const { until } = walk;
    if (full) return { range: { after, until }, next: until };
  }
  const { until } = walk;
  return { range: until === after ? null : { after, until }, next: null };
}

/** Adds the rows of a chunk to the page. Returns whether the page is full. */
async function walkChunk(
  snapshot: Snapshot,
  request: PageRequest,
  chunk: Chunk,
  walk: Walk,
): Promise<boolean> {
  const rows = request.rows(chunk, keyColumns);
  for (let block = blockFor(walk.limit); ; block *= 4) {
    const query = pageKeys(rows, walk.until, chunk.from, block);
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
  for await (const chunk of snapshot.stream(query, { queue: 'small', signal })) {
    const keys = chunk.map(positionIn);
    const admitted = countAdmitted(keys, walk.limit, walk.traces);
    walk.until = keys[admitted - 1] ?? walk.until;
    if (admitted < keys.length) return null;
    added += admitted;
  }
  return added;
}
