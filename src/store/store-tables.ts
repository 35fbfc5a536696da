// The store's tables in the writer's database, and what they say when the store is opened.
import { migrate } from '../duckdb/migrate.js';
import type { Connection } from '../duckdb/connection.js';
import type { Row } from '../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import type { WriteConnection, Writer } from '../duckdb/writer.js';
import { jsonColumns } from '../schema/event-columns.js';
import { byHalves } from './commit/by-halves.js';
import { GenerationIndexes } from './commit/buffer-index.js';
import { bufferTable } from './event-table.js';
import { storeSteps } from './migrations.js';
import { readSegments } from './upkeep/manifest.js';
import type { Generation, StoreState } from './store-state.js';

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

/** What is on disk, read in one transaction that later writes do not touch. */
export function loadState(writer: Writer): Promise<StoredState> {
  return writer.use(async (connection) => {
    await connection.run(sql`BEGIN`);
    const state = await readState(connection);
    const index = new GenerationIndexes();
    for (const { source } of [...state.sealed, state.active])
      await readIndex(connection, index, source);
    await connection.run(sql`COMMIT`);
    // Outside the transaction, which running out of memory would end.
    const sealed: Generation[] = [];
    for (const generation of state.sealed) sealed.push(await weighed(connection, generation));
    const active = await weighed(connection, state.active);
    return { state: { ...state, sealed, active }, index };
  });
}

async function readIndex(
  connection: Connection,
  index: GenerationIndexes,
  source: number,
): Promise<void> {
  const own = index.of(source);
  const places = connection.stream(
    sql`SELECT object_id, id, _row, _deleted FROM ${bufferTable(source)} ORDER BY _row`,
  );
  for await (const rows of places)
    for (const [objectId, id, row, deleted] of rows)
      own.set(objectId as string, id as string, {
        source,
        row: row as number,
        deleted: deleted as boolean,
      });
}

async function readState(connection: Pick<WriteConnection, 'read'>): Promise<StoreState> {
  const rows = await connection.read(
    sql`SELECT source, after_xact_id FROM buffer_generation ORDER BY source`,
  );
  const generations: Generation[] = [];
  let lastXactId = beforeAllXactIds;
  for (const row of rows) {
    const { generation, last } = await readGeneration(connection, row);
    generations.push(generation);
    lastXactId = last ?? generation.afterXactId;
  }
  const superseded = await connection.read(sql`
    SELECT source, count(*) AS n FROM supersession GROUP BY source`);
  return {
    change: 0,
    publication: 0,
    lastXactId,
    sealed: generations.slice(0, -1),
    active: generations.at(-1)!,
    segments: await readSegments(connection),
    superseded: new Map(superseded.map(({ source, n }) => [source as number, Number(n)])),
  };
}

const jsonBytes = join(
  jsonColumns.map((column) => sql`coalesce(strlen(${identifier(column)}), 0)`),
  ' + ',
);

/** So many rows tell how large those of their generation are: all would have to be read from disk. */
const weighedRows = 2048;

/** A row that cannot be weighed in the writer's memory counts as much. */
const largestRowBytes = 2 ** 28;

async function weighed(
  connection: Pick<WriteConnection, 'read'>,
  generation: Generation,
): Promise<Generation> {
  const { source, rowCount } = generation;
  const endRow = Math.min(rowCount, weighedRows);
  const sums = await byHalves(
    { firstRow: 0, endRow },
    async (part) => {
      const { bytes } = await single(
        connection,
        sql`
          SELECT coalesce(sum(${jsonBytes}), 0) AS bytes FROM ${bufferTable(source)}
          WHERE _row >= ${BigInt(part.firstRow)} AND _row < ${BigInt(part.endRow)}`,
      );
      return Number(bytes);
    },
    () => largestRowBytes,
  );
  const bytes = sums.reduce((sum, each) => sum + each, 0);
  return { ...generation, bytes: Math.round((bytes / Math.max(1, endRow)) * rowCount) };
}

async function readGeneration(
  connection: Pick<WriteConnection, 'read'>,
  row: Row,
): Promise<{ readonly generation: Generation; readonly last: bigint | null }> {
  const source = row['source'] as number;
  const counts = await single(
    connection,
    sql`
      SELECT count(*) AS rows, max(_xact_id) AS last, count(*) FILTER (_deleted) AS tombstones,
        count(*) FILTER (_lossless) AS lossless
      FROM ${bufferTable(source)}`,
  );
  const rowCount = Number(counts['rows']);
  const generation = {
    source,
    afterXactId: row['after_xact_id'] as bigint,
    rowCount,
    tombstones: Number(counts['tombstones']),
    lossless: Number(counts['lossless']),
    bytes: 0,
    largestBytes: rowCount === 0 ? 0 : Infinity,
  };
  return { generation, last: counts['last'] as bigint | null };
}
