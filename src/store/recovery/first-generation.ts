// Creates the first generation of a new data directory.
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';
import type { EventLog } from '../log/event-log.js';
import { readGenerations } from '../manifest/generations.js';
import { beforeAllXactIds } from './load-state.js';

const firstSource = 1;

/** The log is on disk before the manifest lists its generation. */
export async function ensureGeneration(writer: Writer, log: EventLog): Promise<void> {
  if ((await readGenerations(writer)).length > 0) return;
  await log.create(firstSource);
  await writer.transaction((connection) =>
    connection.run(
      sql`INSERT INTO buffer_generation VALUES (${BigInt(firstSource)}, ${beforeAllXactIds})`,
    ),
  );
}
