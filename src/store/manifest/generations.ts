// Reads generations, supersessions and the beginning of the history from the manifest.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection } from '../../duckdb/writer.js';
import type { Supersession } from '../row/event-table.js';
import { emptyGeneration, type Generation } from './store-state.js';

/** The generations of the manifest, with counts of 0: their logs are not read. */
export async function readGenerations(
  database: Pick<WriteConnection, 'read'>,
): Promise<readonly Generation[]> {
  const rows = await database.read(
    sql`SELECT source, after_xact_id FROM buffer_generation ORDER BY source`,
  );
  return rows.map((row) =>
    emptyGeneration(row['source'] as number, row['after_xact_id'] as bigint),
  );
}

/** The supersessions in the manifest. */
export async function readSupersessions(
  database: Pick<WriteConnection, 'read'>,
): Promise<readonly Supersession[]> {
  const rows = await database.read(sql`SELECT source, "row", by_xact_id FROM supersession`);
  return rows.map((found) => ({
    source: found['source'] as number,
    row: found['row'] as number,
    byXactId: found['by_xact_id'] as bigint,
  }));
}

/** The first version that has all of its rows; 0 if every version has. */
export async function readHistoryFrom(database: Pick<WriteConnection, 'read'>): Promise<bigint> {
  const [row] = await database.read(sql`SELECT max(from_xact_id) AS first FROM history`);
  return (row?.['first'] as bigint | null | undefined) ?? 0n;
}
