// An engine instance that writes segments from events, and ways to read the files back.
import path from 'node:path';
import type { Connection } from '../../src/duckdb/connection.js';
import { Database } from '../../src/duckdb/database.js';
import type { Row } from '../../src/duckdb/rows.js';
import { identifier, sql } from '../../src/duckdb/sql.js';
import { applyEvents } from '../../src/event/apply.js';
import { decodeEvents } from './decode-events.js';
import type { UnplacedRow } from '../../src/schema/event-row.js';
import { createEvents, eventChunks, storedValues } from '../../src/store/event-table.js';
import { scalarFunctions } from '../../src/store/json-functions.js';
import type { SegmentFacts } from '../../src/store/segment/segment-facts.js';
import type { NarrowPaths } from '../../src/store/segment/narrow-file.js';
import { writeSegment, type SegmentRequest } from '../../src/store/segment/segment-writer.js';
import { experiment } from './open-store.js';

/** The rows that these events of an experiment are stored as; `body` is the JSON text of a list. */
export const rowsOf = (objectId: string, body: string): readonly UnplacedRow[] =>
  applyEvents(
    experiment(objectId),
    decodeEvents('experiment', `{"events":${body}}`),
    new Map(),
    1_700_000_000_000_000n,
  );

/** The rows of one write request. */
export interface WrittenRows {
  readonly xactId: bigint;
  readonly rows: readonly UnplacedRow[];
  /** Set when a later write superseded all of them. */
  readonly supersededBy?: bigint;
}

export interface TestSegments {
  readonly connection: Connection;
  readonly path: string;
  readonly narrowPaths: NarrowPaths;
  readonly indexPath: string;
  write(
    requests: readonly WrittenRows[],
    options?: Partial<
      Pick<SegmentRequest, 'settings' | 'mapsRows' | 'path' | 'narrowPaths' | 'indexPath' | 'alike'>
    >,
  ): Promise<SegmentFacts>;
  /** All columns of the segment last written, in file order. */
  read(): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const written = 'written_rows';

export async function openSegments(directory: string): Promise<TestSegments> {
  const database = await Database.open(
    ':memory:',
    {
      memoryMb: 512,
      threads: 1,
      temporaryDirectory: path.join(directory, 'temporary'),
      allowedDirectories: [directory],
    },
    scalarFunctions(),
  );
  const connection = await database.connect();
  const place = {
    path: path.join(directory, 'segment.parquet'),
    narrowPaths: {
      live: path.join(directory, 'segment.narrow'),
      ended: path.join(directory, 'segment.ended'),
    },
    indexPath: path.join(directory, 'segment.idx'),
  };
  await connection.run(createEvents(written));
  await connection.run(sql`CREATE TABLE superseded (_row INTEGER, by_xact_id BIGINT)`);
  return {
    connection,
    ...place,
    write: async (requests, options) => {
      await fill(connection, requests);
      const rows = sql`(
        SELECT b.*, s.by_xact_id AS _superseded_by, _row AS _source_row
        FROM ${identifier(written)} b LEFT JOIN superseded s USING (_row))`;
      return writeSegment(connection, { rows, ...place, ...options });
    },
    read: () =>
      connection.read(sql`SELECT * FROM read_parquet(${place.path}, file_row_number = true)`),
    close: async () => {
      database.disconnect(connection);
      await database.close();
    },
  };
}

async function fill(connection: Connection, requests: readonly WrittenRows[]): Promise<void> {
  await connection.run(sql`DELETE FROM ${identifier(written)}`);
  await connection.run(sql`DELETE FROM superseded`);
  let number = 0;
  for (const { xactId, rows, supersededBy } of requests) {
    const first = number;
    const values = rows.map((row, position) => storedValues(row, number++, xactId, position));
    await connection.append(written, eventChunks(values));
    if (supersededBy === undefined) continue;
    await connection.run(sql`
      INSERT INTO superseded SELECT _row, ${supersededBy} FROM ${identifier(written)}
      WHERE _row >= ${BigInt(first)}`);
  }
}
