// Finds rows in segments by id: the in-memory index says where a row may be, the segment itself whether it is.
import { readFile, writeFile } from 'node:fs/promises';
import type { Connection } from '../../duckdb/connection.js';
import type { Row } from '../../duckdb/rows.js';
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import type { UnplacedRow } from '../../schema/event-row.js';
import type { BufferIndex } from '../commit/buffer-index.js';
import type { CheckedFiles } from './checked-files.js';
import { writeDurably } from './durable-file.js';
import { amongRows, rowsByNumber, unplacedColumnsBut } from '../event-table.js';
import { idHash, IdIndex, type IdHash } from './id-index.js';
import type { LookupEngine } from './lookup-engine.js';
import { RowCache, type RowCacheSettings } from './row-cache.js';
import { RowGroups } from './row-groups.js';
import type { Segment } from './segment.js';
import { indexHash, indexMatches, type IndexKind } from './segment-index.js';
import { missingColumns } from './segment-format.js';
import type { SegmentFiles, SegmentName, SegmentRows } from './segment-files.js';
import { readSegment } from './segment-table.js';

/** Rows by what the index files know. */
export interface WantedRows {
  readonly by: IndexKind;
  readonly values: readonly string[];
}

/** What the rows that were wanted have in common. */
export const conditionOf = ({ by, values }: WantedRows): Sql =>
  values.length === 0
    ? sql`FALSE`
    : sql`${identifier(by)} IN (${join(values.map((value) => sql`${value}`))})`;

const hashesOfWanted = (objectIds: readonly string[], ids: readonly string[]): readonly IdHash[] =>
  objectIds.flatMap((objectId) => ids.map((id) => idHash(objectId, id)));

interface RowVersion {
  readonly id: string;
  readonly row: number;
  readonly xactId: bigint;
  readonly deleted: boolean;
}

interface WantedId {
  readonly id: string;
  readonly hash: IdHash;
}

export class SegmentLookup {
  readonly #engine: LookupEngine;
  readonly #files: SegmentFiles;
  readonly #checked: CheckedFiles;
  readonly #cache: RowCache;
  readonly groups: RowGroups;
  readonly #indexes = new Map<number, Promise<IdIndex>>();

  constructor(
    engine: LookupEngine,
    files: SegmentFiles,
    checked: CheckedFiles,
    cache: RowCacheSettings,
  ) {
    this.#engine = engine;
    this.#files = files;
    this.#checked = checked;
    this.#cache = new RowCache(engine, files, checked, cache);
    this.groups = new RowGroups(engine, files, checked);
  }

  /** Puts the places of the latest versions of those `ids` that the segments have into `found`. */
  async find(
    segments: readonly Segment[],
    objectId: string,
    ids: readonly string[],
    found: BufferIndex,
  ): Promise<void> {
    let wanted: readonly WantedId[] = ids.map((id) => ({ id, hash: idHash(objectId, id) }));
    const newestFirst = segments.filter(({ objects }) => objects.has(objectId)).reverse();
    for (const segment of newestFirst) {
      if (wanted.length === 0) return;
      await this.#findIn(segment, objectId, wanted, found);
      wanted = wanted.filter(({ id }) => found.place(objectId, id) === undefined);
    }
  }

  /** Rows of one segment by row number. */
  async rowsAt(
    segment: SegmentRows,
    rowNumbers: readonly number[],
  ): Promise<ReadonlyMap<number, UnplacedRow>> {
    const { rows, missing } = await this.#cache.read(segment, rowNumbers);
    const cached = rows.map(({ row, values }) => [row, values] as const);
    if (missing.length === 0) return new Map(cached);
    const columns = unplacedColumnsBut(missingColumns(segment.format));
    const read = await this.#read(sql`
      SELECT _row, ${columns} FROM ${readSegment(this.#files.rows(segment))}
      WHERE ${amongRows(missing)}`);
    return new Map([...cached, ...rowsByNumber(read)]);
  }

  /** By source: the rows that may be wanted, and none for segments that have none. */
  async rows(
    segments: readonly Segment[],
    objectIds: readonly string[],
    wanted: WantedRows,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const found = new Map<number, readonly number[]>();
    if (wanted.by === 'root_span_id') return this.#rowsOfTraces(segments, objectIds, wanted);
    for (const segment of segments) {
      const index = await this.#index(segment);
      const rows = hashesOfWanted(objectIds, wanted.values).flatMap((hash) => index.find(hash));
      if (rows.length > 0) found.set(segment.source, rows);
    }
    return found;
  }

  /** Takes up the index of a new segment. */
  add(segment: SegmentName, index: IdIndex): void {
    this.#indexes.set(segment.source, Promise.resolve(index));
  }

  forget(segment: SegmentName): void {
    this.#indexes.delete(segment.source);
    this.#cache.forget(segment);
    this.groups.forget(segment);
  }

  async close(): Promise<void> {
    await this.#cache.close();
    await this.#engine.close();
  }

  // Older versions of an id may be in the same segment: the one of the latest transaction counts.
  async #findIn(
    segment: Segment,
    objectId: string,
    wanted: readonly WantedId[],
    found: BufferIndex,
  ): Promise<void> {
    const index = await this.#index(segment);
    const candidates = wanted.flatMap(({ hash }) => index.find(hash));
    if (candidates.length === 0) return;
    const ids = new Set(wanted.map(({ id }) => id));
    const versions = await this.#versionsAt(segment, objectId, candidates);
    for (const { id, row, deleted } of versions)
      if (ids.has(id)) found.set(objectId, id, { source: segment.source, row, deleted });
  }

  /** Oldest first. */
  async #versionsAt(
    segment: Segment,
    objectId: string,
    rowNumbers: readonly number[],
  ): Promise<readonly RowVersion[]> {
    const { rows, missing } = await this.#cache.peek(segment, rowNumbers);
    const cached = rows
      .filter(({ values }) => values.object_id === objectId)
      .map(({ row, xactId, values: { id, _deleted } }) => ({ id, row, xactId, deleted: _deleted }));
    const read = missing.length === 0 ? [] : await this.#readVersions(segment, objectId, missing);
    return [...cached, ...read].sort((a, b) => (a.xactId < b.xactId ? -1 : 1));
  }

  async #readVersions(
    segment: Segment,
    objectId: string,
    rowNumbers: readonly number[],
  ): Promise<readonly RowVersion[]> {
    const rows = await this.#read(sql`
      SELECT _row, id, _xact_id, _deleted FROM ${readSegment(this.#files.rows(segment))}
      WHERE ${amongRows(rowNumbers)} AND object_id = ${objectId}`);
    return rows.map((row) => ({
      id: row['id'] as string,
      row: row['_row'] as number,
      xactId: row['_xact_id'] as bigint,
      deleted: row['_deleted'] as boolean,
    }));
  }

  async #rowsOfTraces(
    segments: readonly Segment[],
    objectIds: readonly string[],
    { values }: WantedRows,
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const found = new Map<number, number[]>();
    if (segments.length === 0) return found;
    const hashes = objectIds.flatMap((id) => values.map((value) => indexHash(id, value)));
    const matches = segments.map(
      (segment) => sql`
        SELECT ${BigInt(segment.source)} AS source, "row"
        FROM ${indexMatches(this.#files.index(segment), 'root_span_id', hashes)}`,
    );
    for (const match of await this.#read(join(matches, ' UNION ALL '))) {
      const source = Number(match['source']);
      const rows = found.get(source);
      if (rows === undefined) found.set(source, [match['row'] as number]);
      else rows.push(match['row'] as number);
    }
    return found;
  }

  async #read(query: Sql): Promise<readonly Row[]> {
    await this.#checked.check(query);
    return this.#engine.use(async (connection) => {
      const read = connection.read.bind(connection);
      return read(query).catch(async (error: unknown) => {
        throw await this.#checked.explain(error, query, read);
      });
    });
  }

  #index(segment: Segment): Promise<IdIndex> {
    const known = this.#indexes.get(segment.source);
    if (known !== undefined) return known;
    const loading = this.#load(segment);
    this.#indexes.set(segment.source, loading);
    loading.catch(() => this.#indexes.delete(segment.source));
    return loading;
  }

  async #load(segment: Segment): Promise<IdIndex> {
    const saved = await this.#saved(this.#files.ids(segment));
    if (saved !== null) return saved;
    const file = this.#files.index(segment);
    await this.#checked.checkFiles([file]);
    return this.#engine.use((connection) =>
      buildIndex(file, segment.rows, connection).catch(async (error: unknown) => {
        throw await this.#checked.explain(error, sql``, connection.read.bind(connection));
      }),
    );
  }

  /** Null when the file is missing or damaged: what it says can be computed again. */
  async #saved(file: string): Promise<IdIndex | null> {
    try {
      await this.#checked.checkFiles([file]);
      return IdIndex.parse(await readFile(file));
    } catch {
      return null;
    }
  }
}

/** Makes the in-memory index of a segment whose other files are written, and saves it. */
export async function writeIds(
  connection: Connection,
  files: SegmentFiles,
  segment: SegmentName,
  rows: number,
): Promise<IdIndex> {
  const index = await buildIndex(files.index(segment), rows, connection);
  await writeDurably(files.ids(segment), (file) => writeFile(file, index.bytes()));
  return index;
}

const buildIndex = (file: string, rows: number, connection: Connection): Promise<IdIndex> =>
  IdIndex.build(rows, hashesOf(file, connection));

async function* hashesOf(
  file: string,
  connection: Connection,
): AsyncGenerator<readonly (readonly [IdHash, number])[]> {
  const hashes = sql`
    SELECT (hash >> 32)::UINTEGER AS high, (hash & 4294967295)::UINTEGER AS low, "row"
    FROM (SELECT hash, "row" FROM read_parquet(${file}) WHERE kind = 0 ORDER BY hash)`;
  for await (const chunk of connection.stream(hashes))
    yield chunk.map(([high, low, row]) => [
      { high: high as number, low: low as number },
      row as number,
    ]);
}
