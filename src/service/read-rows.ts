// Reads small results whole, in the lane of small reads if the objects that they are computed from are small.
import type { Sql } from '../duckdb/sql.js';
import type { Snapshot } from '../store/event-store.js';

type Rows = readonly (readonly unknown[])[];

/** What is read, for whom. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly objectIds: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * All rows of a query on the objects.
 * @throws RequestError 400 for a passed budget, 429 when too many queries wait
 */
export async function readRows(
  { snapshot, objectIds, signal }: Reading,
  query: Sql,
): Promise<Rows> {
  const rows: (readonly unknown[])[] = [];
  const lane = snapshot.isSmall(objectIds) ? 'lookup' : 'query';
  for await (const chunk of snapshot.stream(query, { lane, signal })) rows.push(...chunk);
  return rows;
}
