// Reads that end with the release of their snapshot, and reads of small results into memory.
import type { Sql } from '../../duckdb/sql.js';
import { hasFewRows, type Snapshot } from '../../store/event-store.js';
import { clientOf, type Caller, type Services } from '../context.js';

/** @param version by default the latest */
export async function onSnapshot<T>(
  services: Services,
  caller: Caller,
  work: (snapshot: Snapshot) => Promise<T>,
  version: bigint | null = null,
): Promise<T> {
  const snapshot = await services.store.snapshot(version, clientOf(caller));
  try {
    return await work(snapshot);
  } finally {
    await snapshot.release();
  }
}

/** Releases the snapshot when the source is at its end or is read no further. */
export async function* releasing<T>(
  snapshot: Snapshot,
  source: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* source;
  } finally {
    await snapshot.release();
  }
}

type Rows = readonly (readonly unknown[])[];

/** The rows of all chunks. */
export async function allRows(chunks: AsyncIterable<Rows>): Promise<Rows> {
  const rows: (readonly unknown[])[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows;
}

/** The snapshot and the objects of a read. */
export interface Reading {
  readonly snapshot: Snapshot;
  readonly objectIds: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Reads all rows of a query over the objects, in the queue of small reads if the objects are small.
 * @throws RequestError 400 for an exceeded budget, 429 if too many queries wait
 */
export async function readRows(
  { snapshot, objectIds, signal }: Reading,
  query: Sql,
): Promise<Rows> {
  const queue = hasFewRows(snapshot.weight(objectIds)) ? 'small' : 'heavy';
  return allRows(snapshot.stream(query, { queue, signal }));
}
