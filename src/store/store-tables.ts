// The store's tables in the writer's database, and what they and the logs say when the store is opened.
import { migrate } from '../duckdb/migrate.js';
import type { Row } from '../duckdb/rows.js';
import { sql, type Sql } from '../duckdb/sql.js';
import type { WriteConnection, Writer } from '../duckdb/writer.js';
import { GenerationIndexes } from './commit/buffer-index.js';
import type { Supersession } from './event-table.js';
import type { EventLog } from './log/event-log.js';
import { storeSteps } from './migrations.js';
import { readSegments } from './upkeep/manifest.js';
import { emptyGeneration, type Generation, type StoreState } from './store-state.js';
import type { Supersessions } from './supersessions.js';

/** Recorded in the database; a server refuses a directory of a format that it does not know. */
export const storeFormat = 1;

// No write can be as old: the epoch in the form of a transaction id, so that every version has 19 digits.
export const beforeAllXactIds = 0x0de1n << 48n;

export interface StoredState {
  readonly state: StoreState;
  readonly index: GenerationIndexes;
}

async function single(connection: Pick<WriteConnection, 'read'>, query: Sql): Promise<Row> {
  const [row] = await connection.read(query);
  if (row === undefined) throw new Error('expected a row');
  return row;
}

/** Makes the tables that are missing. Throws an Error for a data directory of a newer version. */
export async function prepareTables(writer: Writer): Promise<void> {
  await migrate(writer, 'store', storeSteps);
  await writer.use(async (connection) => {
    const { version } = await single(connection, sql`SELECT version FROM store_format`);
    if (version !== BigInt(storeFormat))
      throw new Error(
        `the data directory has store format ${String(version)}, this version reads format ${storeFormat}`,
      );
  });
}

/**
 * What is on disk. Fills `supersessions` with what is known of the sources that are listed.
 * @throws DamagedLog, or an error of the file system
 */
export async function loadState(
  writer: Writer,
  log: EventLog,
  supersessions: Supersessions,
): Promise<StoredState> {
  const segments = await readSegments(writer);
  const listed = await readGenerations(writer);
  const sources = new Set([...listed, ...segments].map(({ source }) => source));
  const ofListed = (list: readonly Supersession[]) =>
    list.filter(({ source }) => sources.has(source));
  supersessions.clear();
  supersessions.add(ofListed(await readSupersessions(writer)), true);
  const index = new GenerationIndexes();
  const generations: Generation[] = [];
  let lastXactId = beforeAllXactIds;
  for (const empty of listed) {
    const { generation, last, superseded } = await replay(log, index, empty);
    supersessions.add(ofListed(superseded), false);
    generations.push(generation);
    lastXactId = last ?? empty.afterXactId;
  }
  const state = {
    change: 0,
    publication: 0,
    lastXactId,
    sealed: generations.slice(0, -1),
    active: generations.at(-1)!,
    segments,
    superseded: supersessions.counts(),
  };
  return { state, index };
}

/** As they are before their logs are read. */
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

/** Those that the manifest has. */
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

async function replay(log: EventLog, index: GenerationIndexes, empty: Generation) {
  const { source } = empty;
  const own = index.of(source);
  const counted: { -readonly [K in keyof Generation]: Generation[K] } = { ...empty };
  const { lastXactId: last, supersessions: superseded } = await log.replay(
    source,
    ({ objectId, id, row, deleted, lossless, bytes }) => {
      own.set(objectId, id, { source, row, deleted });
      counted.rowCount += 1;
      counted.tombstones += Number(deleted);
      counted.lossless += Number(lossless);
      counted.bytes += bytes;
      counted.largestBytes = Math.max(counted.largestBytes, bytes);
    },
  );
  return { generation: counted, last, superseded };
}
