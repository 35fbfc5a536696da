// An unchanging view of the events at one transaction id: relations for queries, and the ways to run them.
import type { RowValue } from '../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';
import { bufferTable, eventColumnList } from './event-table.js';
import type { Lane } from './lane.js';
import type { Reader } from './reader.js';
import { ReadSession } from './read-session.js';
import { createResult, type QueryResult } from './query-result.js';
import type { Generation } from './write-buffer.js';

export type LaneName = 'query' | 'lookup';

export interface ReadOptions {
  /** `query`: within the budgets for queries. `lookup`: pages and the like, not behind heavy queries. */
  readonly lane: LaneName;
  readonly signal?: AbortSignal | undefined;
}

type Rows = readonly (readonly RowValue[])[];

export class Snapshot {
  readonly #reader: Reader;
  readonly #lanes: Readonly<Record<LaneName, Lane>>;
  readonly #generations: readonly Generation[];
  /** The last transaction id that is visible. */
  readonly version: bigint;
  #uses = 1;
  #released = false;

  /** Takes over the caller's pin of `reader`. */
  constructor(reader: Reader, lanes: Readonly<Record<LaneName, Lane>>, version?: bigint) {
    const { lastXactId, generation } = reader.state;
    this.#reader = reader;
    this.#lanes = lanes;
    this.#generations = [generation];
    this.version = version !== undefined && version < lastXactId ? version : lastXactId;
  }

  /** The live rows of the objects, as of `at` when it is older than the snapshot. */
  live(objectIds: readonly string[], at: bigint = this.version): EventRelation {
    const version = at < this.version ? at : this.version;
    return {
      arms: this.#generations.map((generation) => ({
        name: `buffer ${generation.source}`,
        rows: sql`(${liveRows(generation, objectIds, version)})`,
        hasLossless: generation.lossless > 0,
        paths: null,
      })),
    };
  }

  /** A parenthesised SELECT of (object_id, id): the ids whose latest version is a tombstone. */
  tombstoned(objectIds: readonly string[]): Sql {
    const arms = this.#generations.map(
      (generation) => sql`
        SELECT object_id, id FROM ${bufferTable(generation.source)} b ${withoutSuperseded(generation, this.version)}
        WHERE _deleted AND _xact_id <= ${this.version} AND ${among(objectIds)}`,
    );
    return sql`(${join(arms, ' UNION ALL ')})`;
  }

  /**
   * Runs `query` and yields its rows in chunks while the engine produces them. Its columns need
   * different names. A turn of the lane is held until the last chunk is taken.
   * @throws RequestError 400 over a budget, 429 when too many wait; the signal's reason when aborted
   */
  async *stream(query: Sql, options: ReadOptions): AsyncGenerator<Rows, void, void> {
    const session = await this.#session(options);
    try {
      yield* session.stream(query);
    } finally {
      await session.close();
    }
  }

  /**
   * Runs `query` to its end into a temporary table. The turn of the lane ends when its rows are streamed,
   * so that a consumer may take its time; the caller closes the result.
   * @throws as `stream`
   */
  async materialize(query: Sql, options: ReadOptions): Promise<QueryResult> {
    const session = await this.#session(options);
    try {
      return await createResult(session, query, (name) => this.#reader.temporaryFile(name));
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Ends the snapshot; what still streams from it goes on to its end. */
  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.#leave();
  }

  async #leave(): Promise<void> {
    this.#uses -= 1;
    if (this.#uses === 0) await this.#reader.unpin();
  }

  async #session({ lane, signal }: ReadOptions): Promise<ReadSession> {
    if (this.#released) throw new Error('the snapshot was released');
    this.#uses += 1;
    try {
      return await ReadSession.open(this.#reader, this.#lanes[lane], () => this.#leave(), signal);
    } catch (error) {
      await this.#leave();
      throw error;
    }
  }
}

function liveRows(generation: Generation, objectIds: readonly string[], version: bigint): Sql {
  const undeleted = generation.tombstones > 0 ? sql`NOT _deleted AND` : sql``;
  return sql`
    SELECT ${eventColumnList}
    FROM ${bufferTable(generation.source)} b ${withoutSuperseded(generation, version)}
    WHERE ${undeleted} _xact_id <= ${version} AND ${among(objectIds)}`;
}

// Nothing superseded when the snapshot was taken means: nothing with a transaction id that it can see.
function withoutSuperseded({ source, superseded }: Generation, version: bigint): Sql {
  if (superseded === 0) return sql``;
  return sql`
    ANTI JOIN (
      SELECT "row" AS _row FROM supersession
      WHERE source = ${BigInt(source)} AND by_xact_id <= ${version}
    ) ${identifier('superseded')} USING (_row)`;
}

function among(objectIds: readonly string[]): Sql {
  if (objectIds.length === 0) return sql`FALSE`;
  return sql`object_id IN (${join(objectIds.map((id) => sql`${id}`))})`;
}
