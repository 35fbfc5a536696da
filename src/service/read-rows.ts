// Reads small results into memory, in the lane of small reads if the objects are small.
import type { Sql } from '../duckdb/sql.js';
import type { Snapshot } from '../store/event-store.js';

type Rows = readonly (readonly unknown[])[];

/** The snapshot and the objects of a read. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly objectIds: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reads all rows of a query over the objects.
 * @throws RequestError 400 for an exceeded budget, 429 if too many queries wait
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
