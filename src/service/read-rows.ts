import type { Sql } from '../duckdb/sql.js';
import type { Snapshot } from '../store/event-store.js';

type Rows = readonly (readonly unknown[])[];

/**
 * All rows of an answer that is small.
 * @throws RequestError 400 for a passed budget, 429 when too many queries wait
 */
export async function readRows(snapshot: Snapshot, query: Sql, signal: AbortSignal): Promise<Rows> {
  const rows: (readonly unknown[])[] = [];
  for await (const chunk of snapshot.stream(query, { lane: 'query', signal })) rows.push(...chunk);
  return rows;
}
