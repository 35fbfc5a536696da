// The durable write buffer in the writer's database: generations of event rows and their supersessions.
import { migrate } from '../duckdb/migrate.js';
import type { Row } from '../duckdb/rows.js';
import { sql, type Sql } from '../duckdb/sql.js';
import type { WriteConnection, Writer } from '../duckdb/writer.js';
import type { UnplacedRow } from '../schema/event-row.js';
import { BufferIndex } from './buffer-index.js';
import type { CommitGroup } from './commit-group.js';
import {
  bufferName,
  bufferTable,
  createBuffer,
  createSupersession,
  unplacedColumnList,
  type RowPlace,
} from './event-table.js';

/** Counts what is stored in one buffer generation: the next row number, and what a read may leave out. */
export interface Generation {
  readonly source: number;
  readonly rowCount: number;
  readonly tombstones: number;
  readonly lossless: number;
  /** Supersessions of rows of this generation. */
  readonly superseded: number;
}

/** All that is committed up to `lastXactId`. */
export interface BufferState {
  readonly generation: Generation;
  readonly lastXactId: bigint;
}

/** Recorded in the database; a server refuses a directory of a format that it does not know. */
export const storeFormat = 1;
const firstSource = 1;
// No write can be as old: the epoch in the form of a transaction id, so that every version has 19 digits.
const beforeAllXactIds = 0x0de1n << 48n;

const steps: readonly (readonly Sql[])[] = [
  [
    sql`CREATE TABLE store_format (version BIGINT)`,
    sql`INSERT INTO store_format VALUES (${BigInt(storeFormat)})`,
    sql`CREATE TABLE buffer_generation (source INTEGER PRIMARY KEY, after_xact_id BIGINT)`,
    sql`INSERT INTO buffer_generation VALUES (${BigInt(firstSource)}, ${beforeAllXactIds})`,
    createBuffer(firstSource),
    createSupersession,
  ],
];

async function single(connection: Pick<WriteConnection, 'read'>, query: Sql): Promise<Row> {
  const [row] = await connection.read(query);
  if (row === undefined) throw new Error('expected a row');
  return row;
}

export class WriteBuffer {
  readonly #writer: Writer;

  private constructor(writer: Writer) {
    this.#writer = writer;
  }

  static async open(writer: Writer): Promise<WriteBuffer> {
    await migrate(writer, 'store', steps);
    const { version } = await single(writer, sql`SELECT version FROM store_format`);
    if (version !== BigInt(storeFormat))
      throw new Error(
        `the data directory has store format ${String(version)}, this version reads format ${storeFormat}`,
      );
    return new WriteBuffer(writer);
  }

  /** What is on disk, read in one transaction that later writes do not touch. */
  load(): Promise<{ readonly state: BufferState; readonly index: BufferIndex }> {
    return this.#writer.use(async (connection) => {
      await connection.run(sql`BEGIN`);
      const state = await readState(connection);
      const index = new BufferIndex();
      const { source } = state.generation;
      const places = connection.stream(
        sql`SELECT object_id, id, _row, _deleted FROM ${bufferTable(source)} ORDER BY _row`,
      );
      for await (const rows of places)
        for (const [objectId, id, row, deleted] of rows)
          index.set(objectId as string, id as string, {
            source,
            row: row as number,
            deleted: deleted as boolean,
          });
      await connection.run(sql`COMMIT`);
      return { state, index };
    });
  }

  /**
   * One durable transaction for the whole group.
   * @throws RequestError 503 when it cannot be stored, UnknownOutcomeError when that is not known
   */
  commit(group: CommitGroup): Promise<void> {
    const last = sql`
      SELECT 1 FROM ${bufferTable(group.source)} WHERE _xact_id = ${group.lastXactId} LIMIT 1`;
    return this.#writer.transaction(
      async (connection) => {
        await connection.append(bufferName(group.source), group.rowChunks());
        if (group.supersessions.length > 0)
          await connection.append('supersession', group.supersessionChunks());
      },
      async (connection) => (await connection.read(last)).length > 0,
    );
  }

  /** The rows at `places`, keyed by row number; all places are of one source. */
  async rowsAt(places: readonly RowPlace[]): Promise<ReadonlyMap<number, UnplacedRow>> {
    const [first] = places;
    if (first === undefined) return new Map();
    const numbers = places.map(({ row }) => BigInt(row));
    const rows = await this.#writer.read(sql`
      SELECT _row, ${unplacedColumnList} FROM ${bufferTable(first.source)}
      WHERE _row BETWEEN ${numbers.reduce(smaller)} AND ${numbers.reduce(larger)}
        AND _row IN (SELECT unnest(${numbers.map(String)}::INTEGER[]))`);
    return new Map(
      rows.map(({ _row: number, ...row }) => [number as number, row as unknown as UnplacedRow]),
    );
  }

  /** Writes what is committed up to `state` to two Parquet files, beside whatever else is written. */
  async export(state: BufferState, rowsFile: string, supersessionsFile: string): Promise<void> {
    const { source, rowCount } = state.generation;
    await this.#writer.use(async (connection) => {
      await connection.run(sql`
        COPY (SELECT * FROM ${bufferTable(source)} WHERE _row < ${BigInt(rowCount)} ORDER BY _row)
        TO ${rowsFile} (FORMAT parquet, COMPRESSION lz4)`);
      await connection.run(sql`
        COPY (SELECT * FROM supersession WHERE by_xact_id <= ${state.lastXactId})
        TO ${supersessionsFile} (FORMAT parquet)`);
    });
  }
}

const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right);

async function readState(connection: Pick<WriteConnection, 'read'>): Promise<BufferState> {
  const { source, after } = await single(
    connection,
    sql`SELECT source, after_xact_id AS after FROM buffer_generation ORDER BY source DESC LIMIT 1`,
  );
  const counts = await single(
    connection,
    sql`
      SELECT count(*) AS rows, max(_xact_id) AS last, count(*) FILTER (_deleted) AS tombstones,
        count(*) FILTER (_lossless) AS lossless
      FROM ${bufferTable(source as number)}`,
  );
  const { superseded } = await single(
    connection,
    sql`SELECT count(*) AS superseded FROM supersession WHERE source = ${BigInt(source as number)}`,
  );
  return {
    generation: {
      source: source as number,
      rowCount: Number(counts['rows']),
      tombstones: Number(counts['tombstones']),
      lossless: Number(counts['lossless']),
      superseded: Number(superseded),
    },
    lastXactId: (counts['last'] ?? after) as bigint,
  };
}
