// An engine instance that writes segments from events, and ways to read the files back.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Connection } from '../../src/duckdb/connection.js';
import { Database } from '../../src/duckdb/database.js';
import type { Row } from '../../src/duckdb/rows.js';
import { sql } from '../../src/duckdb/sql.js';
import { applyEvents } from './apply-events.js';
import { decodeEvents } from './decode-events.js';
import type { UncommittedRow } from '../../src/schema/event-row.js';
import { scalarFunctions } from '../../src/store/row/scalar-functions.js';
import type { SegmentStats } from '../../src/store/segment/segment.js';
import { SegmentFiles, type SegmentName } from '../../src/store/segment/segment-files.js';
import {
  defaultSegmentSettings,
  writeSegment,
  type SegmentRequest,
} from '../../src/store/segment/segment-writer.js';
import { readPositions } from '../../src/store/segment/segment-table.js';
import { flushedRows } from '../../src/store/maintenance/flush.js';
import { writeFlushedRows } from '../../src/store/maintenance/flush-rows.js';
import { FrameBuilder } from '../../src/store/log/frame.js';
import { wholeLog } from '../../src/store/log/rows-file.js';
import { experiment } from './open-store.js';
import { rowOfStrings } from './json-strings.js';

/** The rows that these events of an experiment are stored as; `body` is the JSON text of a list. */
export const rowsOf = (objectId: string, body: string): readonly UncommittedRow[] =>
  applyEvents(
    experiment(objectId),
    decodeEvents('experiment', `{"events":${body}}`),
    new Map(),
    1_700_000_000_000_000n,
  ).map(rowOfStrings);

/** The rows of one write request. */
export interface WrittenRows {
  readonly xactId: bigint;
  readonly rows: readonly UncommittedRow[];
  /** Set when a later write superseded all of them. */
  readonly supersededBy?: bigint;
}

export interface TestSegments {
  readonly connection: Connection;
  readonly files: SegmentFiles;
  /** The segment that is written, unless the options of `write` name another one. */
  readonly name: SegmentName;
  write(
    requests: readonly WrittenRows[],
    options?: Partial<Pick<SegmentRequest, 'settings' | 'name'>>,
  ): Promise<SegmentStats>;
  /** Of the segment last written: the number that each row got, in the order of the requests. */
  places(): Int32Array;
  /** All columns of the segment `name`, in file order. */
  read(): Promise<readonly Row[]>;
  close(): Promise<void>;
}

async function openSegments(directory: string): Promise<TestSegments> {
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
  const files = new SegmentFiles(directory);
  const name = { projectId: 'written', source: 1 };
  let places: Int32Array = new Int32Array();
  return {
    connection,
    files,
    name,
    write: async (requests, options) => {
      const { leafPathsMax } = options?.settings ?? defaultSegmentSettings;
      const order = await logOf(path.join(directory, 'rows.log'), requests);
      const { projects, newRows } = await writeFlushedRows({ ...order, leafPathsMax });
      places = newRows;
      const contents = flushedRows(projects[0]!);
      return (await writeSegment(connection, { ...contents, files, name, ...options })).stats;
    },
    places: () => places,
    read: () => connection.read(sql`SELECT * FROM ${readPositions(files.rows(name))}`),
    close: async () => {
      database.disconnect(connection);
      await database.close();
    },
  };
}

/** Writes the rows as a generation logs them. */
async function logOf(log: string, requests: readonly WrittenRows[]) {
  const builder = new FrameBuilder();
  const ended: [row: number, byXactId: bigint][] = [];
  let number = 0;
  for (const { xactId, rows, supersededBy } of requests)
    for (const [position, row] of rows.entries()) {
      builder.addRow(row, { xactId, position });
      if (supersededBy !== undefined) ended.push([number, supersededBy]);
      number += 1;
    }
  const frame = Buffer.concat(builder.finish(1, 0, 1n, []));
  await writeFile(log, frame);
  return {
    ...wholeLog(log, 1, { rows: number, end: frame.length }, `${log}-rows`),
    superseded: {
      rows: Int32Array.from(ended, ([row]) => row),
      byXactIds: BigInt64Array.from(ended, ([, byXactId]) => byXactId),
    },
  };
}

/** Segments for every test of a `describe`, in the directory of the test. */
export function segmentsIn(directory: () => string): () => TestSegments {
  let segments: TestSegments;
  beforeEach(async () => {
    segments = await openSegments(directory());
  });
  afterEach(() => segments.close());
  return () => segments;
}
