// An event store over a directory, and short ways to put events in and read rows back.
import path from 'node:path';
import { identifier, join, sql, type Sql } from '../../src/duckdb/sql.js';
import { Writer } from '../../src/duckdb/writer.js';
import { decodeEvents } from './decode-events.js';
import { areEvicted, evictedOptions } from './evicted-segments.js';
import { mergingAtOnce } from './merging-at-once.js';
import { eventColumns } from '../../src/schema/event-columns.js';
import type { EventObject } from '../../src/schema/event-row.js';
import {
  EventStore,
  refuseOldManifest,
  requireManifest,
  type EventStoreOptions,
  type Snapshot,
} from '../../src/store/event-store.js';

export const experiment = (id: string, projectId = 'project'): EventObject => ({
  kind: 'experiment',
  id,
  projectId,
  orgId: 'org',
});

export interface TestStore {
  readonly store: EventStore;
  readonly writer: Writer;
  /** Inserts into an experiment; returns the transaction id. */
  insert(objectId: string, ...events: readonly object[]): Promise<bigint>;
  /** The live rows by id, each with `_xact_id` and the parsed `input`; of `snapshot`, or of now. */
  live(objectId: string, snapshot?: Snapshot): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

type TestStoreOptions = Partial<EventStoreOptions> & { readonly writerMemoryMb?: number };

/** Segments of any size have a narrow file. */
const narrow = { segments: { narrowRowsMin: 1 } };

/** Where the rows of a test are: what holds in one state of storage has to hold in all. */
export const storages: Readonly<Record<string, Partial<EventStoreOptions>>> = {
  'as buffered rows': { flushRows: 1_000_000 },
  'in a segment for every insert': { flushRows: 1 },
  'as buffered rows and in segments': { flushRows: 3, ...narrow },
  'in merged segments': { flushRows: 1, compaction: { fanOut: 2 }, ...narrow },
};

export async function openStore(
  directory: string,
  { writerMemoryMb = 256, ...options }: TestStoreOptions = {},
): Promise<TestStore> {
  await requireManifest(directory);
  const writer = await Writer.open(path.join(directory, 'meta.duckdb'), {
    memoryMb: writerMemoryMb,
    threads: 1,
  });
  let store: EventStore;
  try {
    await refuseOldManifest(writer, directory);
    store = await EventStore.open(writer, {
      dataDirectory: directory,
      queryMemoryMb: 256,
      queryThreads: 2,
      queryTimeoutMs: 240_000,
      queryConcurrency: 2,
      queryQueueLength: 20,
      writerMemoryMb,
      ...(await evictedOptions(directory)),
      ...mergingAtOnce(options),
    });
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  if (areEvicted) evictBeforeReads(store);
  return {
    store,
    writer,
    insert: async (objectId, ...events) => {
      const decoded = decodeEvents('experiment', JSON.stringify({ events }));
      const inserted = await store.insert([{ object: experiment(objectId), events: decoded }]);
      return inserted.xactId;
    },
    live: async (objectId, given) => {
      const snapshot = given ?? (await store.snapshot());
      const rows = await allRows(snapshot, liveOf(snapshot, objectId));
      if (given === undefined) await snapshot.release();
      return Object.fromEntries(
        rows.map(([id, input]) => [id, JSON.parse((input ?? 'null') as string)]),
      );
    },
    close: async () => {
      await store.close();
      await writer.close();
    },
  };
}

function evictBeforeReads(store: EventStore): void {
  for (const name of ['snapshot', 'find', 'newest'] as const) {
    const read = store[name].bind(store) as (...given: readonly unknown[]) => Promise<unknown>;
    const evicting = async (...given: readonly unknown[]) => {
      await store.evict();
      return read(...given);
    };
    Object.assign(store, { [name]: evicting });
  }
}

/** A store for every test of a `describe`, in the directory of the test. */
export function storeIn(directory: () => string, options?: TestStoreOptions): () => TestStore {
  let opened: TestStore;
  beforeEach(async () => {
    opened = await openStore(directory(), options);
  });
  afterEach(() => opened.close());
  return () => opened;
}

/** The rows of the objects in all branches, with the event columns. */
export function rowsOf(
  snapshot: Snapshot,
  objectIds: string | readonly string[],
  at?: bigint,
): Sql {
  const branches = snapshot
    .live([objectIds].flat(), at)
    .branches.map(({ rows }) => sql`SELECT ${columnList} FROM ${rows}`);
  return sql`(${join(branches, ' UNION ALL ')})`;
}

const columnList = join(Object.keys(eventColumns).map(identifier));

const liveOf = (snapshot: Snapshot, objectId: string): Sql =>
  sql`SELECT id, input FROM ${rowsOf(snapshot, objectId)} ORDER BY id`;

export async function allRows(
  snapshot: Snapshot,
  query: Sql,
  queue: 'heavy' | 'small' = 'small',
): Promise<readonly (readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = [];
  for await (const chunk of snapshot.stream(query, { queue })) rows.push(...chunk);
  return rows;
}
