// Finds where a page ends by reading narrow keys only, so that wide columns are read for its rows alone.
import type { Sql } from '../duckdb/sql.js';
import type { PagePosition } from '../query/page-cursor.js';
import { countAdmitted, pageKeys, type PageRange } from '../query/trace-page.js';
import type { Snapshot } from '../store/event-store.js';

export interface PagePlan {
  /** Null when the page is empty. */
  readonly range: PageRange | null;
  /** The place from which the next page goes on; null when nothing follows. */
  readonly next: PagePosition | null;
}

const smallestBlock = 256;

async function readKeys(
  snapshot: Snapshot,
  query: Sql,
  signal: AbortSignal,
): Promise<readonly PagePosition[]> {
  const keys: PagePosition[] = [];
  for await (const chunk of snapshot.stream(query, { lane: 'lookup', signal }))
    for (const [xactId, rootSpanId, position] of chunk)
      keys.push({
        xactId: xactId as bigint,
        rootSpanId: rootSpanId as string,
        position: position as number,
      });
  return keys;
}

/** `limit` counts traces; null takes everything. */
export async function planPage(
  snapshot: Snapshot,
  rows: Sql,
  after: PagePosition | null,
  limit: number | null,
  signal: AbortSignal,
): Promise<PagePlan> {
  if (limit === null) return { range: { after, until: null }, next: null };
  if (limit === 0) return { range: null, next: null };
  const traces = new Set<string>();
  let until = after;
  for (let block = Math.max(smallestBlock, limit * 2); ; block *= 4) {
    const keys = await readKeys(snapshot, pageKeys(rows, until, block), signal);
    const admitted = countAdmitted(keys, limit, traces);
    until = keys[admitted - 1] ?? until;
    if (admitted < keys.length) return { range: { after, until }, next: until };
    if (keys.length < block)
      return { range: until === after ? null : { after, until }, next: null };
  }
}
