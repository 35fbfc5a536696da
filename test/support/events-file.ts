// The file that names the events of a removal.
import path from 'node:path';
import { sql } from '../../src/duckdb/sql.js';
import { jobsDirectory } from '../../src/store/event-store.js';
import type { TestStore } from './open-store.js';

/** Writes the file of these events of an object, and returns its path. */
export async function eventsFile(
  { store }: TestStore,
  dataDirectory: string,
  ids: readonly string[],
  objectId = 'e',
): Promise<string> {
  const snapshot = await store.snapshot();
  const file = path.join(jobsDirectory(dataDirectory), 'events.parquet');
  const query = sql`SELECT ${objectId} AS object_id, unnest(${ids}::VARCHAR[]) AS id`;
  await snapshot.writeParquet(query, file, { queue: 'small' });
  await snapshot.release();
  return file;
}
