// Finds rows of segments by id. The index in memory gives candidates, and the segment file confirms them.
import { readFile } from 'node:fs/promises';
import type { Row } from '../../duckdb/rows.js';
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRow, UncommittedRow } from '../../schema/event-row.js';
import type { RowIndex } from '../row/row-index.js';
import type { CheckedFiles } from './checked-files.js';
import { rowsByNumber, textLength } from '../row/event-table.js';
import { buildIndex } from './build-index.js';
import { IdIndex } from './id-index.js';
import type { LookupEngine } from './lookup-engine.js';
import { recentLengthMax } from './recent-rows.js';
import { RowCache, type RowCacheSettings } from './row-cache.js';
import { RowGroupFiles } from './row-group-files.js';
import { RowGroups } from './row-groups.js';
import { statsOf, type Segment } from './segment.js';
import { hashHalves, indexHash, indexMatches, type IndexHash } from './segment-index.js';
import type { SegmentFiles, SegmentName } from './segment-files.js';
import type { WantedRows } from './wanted-rows.js';
import {
  firstRowsWithin,
  rowsOrNone,
  tracesAmong,
  versionOf,
  versionsAmong,
  type RowVersion,
} from './rows-by-number.js';

/** In bytes. */
export interface ReadLimits {
  readonly bytesMax: number;
  readonly groupBytesMax: number;
}

/** Above this number of hashes, reading the rows is faster than reading the indexes. */
const hashesMax = 2 ** 15;

/** The size of a cached row without its JSON, in bytes. */
const otherBytes = 512;

interface WantedId {
  readonly id: string;
  readonly hash: IndexHash;
}

export class SegmentLookup {
  readonly #engine: LookupEngine;
  readonly #files: SegmentFiles;
  readonly #checked: CheckedFiles;
  readonly #cache: RowCache;
  readonly groups: RowGroups;
  readonly #groupFiles: RowGroupFiles;
  readonly #indexes = new Map<number, Promise<IdIndex> | IdIndex>();

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
    this.#groupFiles = new RowGroupFiles(checked, cache.directory);
  }

  /** Whether the segments are known to have none of the ids, without reading a file. */
  lack(segments: readonly Segment[], objectId: string, ids: readonly string[]): boolean {
    const hashes = ids.map((id) => hashHalves(objectId, id));
    return segments.every(({ source }) => {
      const index = this.#indexes.get(source);
      return index instanceof IdIndex && hashes.every((hash) => index.find(hash).length === 0);
    });
  }

  /** Whether one of the segments has the id, or another one with the same hash. */
  async mayHave(segments: readonly Segment[], objectId: string, id: string): Promise<boolean> {
    const hash = hashHalves(objectId, id);
    for (const segment of segments)
      if (segment.objects.has(objectId) && (await this.#index(segment)).find(hash).length > 0)
        return true;
    return false;
  }

  /** Adds to `found` the locations of the latest versions of those `ids` that the segments have. */
  async find(
    segments: readonly Segment[],
    objectId: string,
    ids: readonly string[],
    found: RowIndex,
  ): Promise<void> {
    const newestFirst = segments.filter(({ objects }) => objects.has(objectId)).reverse();
    if (newestFirst.length === 0) return;
    let wanted: readonly WantedId[] = ids.map((id) => ({ id, hash: hashHalves(objectId, id) }));
    for (const segment of newestFirst) {
      if (wanted.length === 0) return;
      await this.#findIn(segment, objectId, wanted, found);
      wanted = wanted.filter(({ id }) => found.find(objectId, id) === undefined);
    }
  }

  /** Rows of one segment by row number. If their JSON has more than `bytesMax` bytes together, some may be left out. */
  async rowsAt(
    segment: SegmentName,
    rowNumbers: readonly number[],
    bytesMax: number,
  ): Promise<ReadonlyMap<number, UncommittedRow>> {
    const limit = bytesMax + rowNumbers.length * otherBytes;
    const { rows, missing, bytes } = await this.#cache.read(segment, rowNumbers, limit);
    const cached = rows.map(({ row, values }) => [row, values] as const);
    if (missing.length === 0 || bytes > limit) return new Map(cached);
    const wanted = new Set(missing);
    const read = await this.#fromRows(segment, [...wanted], async (file) => {
      const limited = [file, [...wanted], limit - bytes] as const;
      const all = await this.#read(rowsOrNone(...limited));
      return all.length < wanted.size ? this.#read(firstRowsWithin(...limited)) : all;
    });
    return new Map([...cached, ...rowsByNumber(read)]);
  }

  /** The traces that the spans of rows of one segment name, by row number. */
  async tracesAt(segment: SegmentName, rows: readonly number[]) {
    const read = await this.#fromRows(segment, rows, (file) => this.#read(tracesAmong(file, rows)));
    return new Map(read.map(({ _row, trace }) => [_row as number, trace as string]));
  }

  /**
   * Whole rows of one segment by row number. Null if their texts have more than `bytesMax` bytes together, or the row groups that
   * have to be read more than `groupBytesMax`.
   */
  async wholeRows(
    segment: SegmentName,
    rowNumbers: readonly number[],
    limits: ReadLimits,
  ): Promise<ReadonlyMap<number, EventRow> | null> {
    const cached = await this.#cache.peek(segment, rowNumbers, limits.bytesMax);
    if (cached.bytes > limits.bytesMax) return null;
    const { missing } = cached;
    const rows = new Map(cached.rows.map(({ row, values }) => [row, values] as const));
    if (missing.length > 0) {
      const read = await this.#readWhole(segment, missing, limits);
      if (read === null) return null;
      for (const [number, row] of read) rows.set(number, row);
      this.#cache.copyLater(segment, missing);
    }
    let bytes = 0;
    for (const row of rows.values()) bytes += textLength(row);
    return bytes > limits.bytesMax ? null : rows;
  }

  async #readWhole(
    segment: SegmentName,
    rowNumbers: readonly number[],
    { bytesMax, groupBytesMax }: ReadLimits,
  ): Promise<ReadonlyMap<number, EventRow> | null> {
    const ascending = rowNumbers.toSorted((a, b) => a - b);
    const whole = this.#files.rows(segment);
    const rows = await this.#groupFiles.use(whole, ascending, groupBytesMax, (file) =>
      this.#read(rowsOrNone(file, ascending, bytesMax), whole),
    );
    return rows === null || rows.length < ascending.length ? null : rowsByNumber(rows);
  }

  /**
   * The row numbers of the candidates, by source. Segments without candidates have no entry. Null if the objects and values are so
   * many that reading the rows takes less.
   */
  async rows(
    segments: readonly Segment[],
    objectIds: readonly string[],
    { by, values }: WantedRows,
  ): Promise<ReadonlyMap<number, readonly number[]> | null> {
    const stats = segments.flatMap((segment) => statsOf(segment, objectIds));
    const held = [...new Set(stats.map(({ objectId }) => objectId))];
    if (held.length * values.length > hashesMax) return null;
    return by === 'id'
      ? this.#rowsOfIds(segments, held, values)
      : this.#rowsOfTraces(segments, held, values);
  }

  /** Adds the index of a new segment. */
  add(segment: SegmentName, index: IdIndex): void {
    this.#indexes.set(segment.source, index);
  }

  forget(segment: SegmentName): void {
    this.#indexes.delete(segment.source);
    this.#cache.forget(segment);
    this.groups.forget(segment);
    this.#groupFiles.forget(this.#files.rows(segment));
  }

  async close(): Promise<void> {
    await this.#cache.close();
    await this.#engine.close();
  }

  // A segment may have several versions of an id. The latest one counts.
  async #findIn(
    segment: Segment,
    objectId: string,
    wanted: readonly WantedId[],
    found: RowIndex,
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
    // Rows of this size stay in memory until a merge reads their content.
    const { rows, missing, bytes } = await this.#cache.peek(segment, rowNumbers, recentLengthMax);
    const versions =
      bytes > recentLengthMax
        ? await this.#readVersions(segment, objectId, rowNumbers)
        : [
            ...rows
              .filter(({ values }) => values.object_id === objectId)
              .map(({ row, values }) => versionOf([row, values])),
            ...(await this.#readVersions(segment, objectId, missing)),
          ];
    return versions.toSorted((a, b) => (a.xactId < b.xactId ? -1 : 1));
  }

  async #readVersions(
    segment: Segment,
    objectId: string,
    rowNumbers: readonly number[],
  ): Promise<readonly RowVersion[]> {
    if (rowNumbers.length === 0) return [];
    const rows = await this.#fromRows(segment, rowNumbers, (file) =>
      this.#read(versionsAmong(file, rowNumbers)),
    );
    return Array.from(rowsByNumber(rows.filter((row) => row['object_id'] === objectId)), versionOf);
  }

  async #rowsOfIds(
    segments: readonly Segment[],
    objectIds: readonly string[],
    ids: readonly string[],
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const found = new Map<number, readonly number[]>();
    const hashes = new Map(
      objectIds.map((objectId) => [objectId, ids.map((id) => hashHalves(objectId, id))]),
    );
    for (const segment of segments) {
      const index = await this.#index(segment);
      const rows = statsOf(segment, objectIds).flatMap(({ objectId }) =>
        hashes.get(objectId)!.flatMap((hash) => index.find(hash)),
      );
      if (rows.length > 0) found.set(segment.source, rows);
    }
    return found;
  }

  async #rowsOfTraces(
    segments: readonly Segment[],
    objectIds: readonly string[],
    traces: readonly string[],
  ): Promise<ReadonlyMap<number, readonly number[]>> {
    const found = new Map<number, number[]>();
    if (segments.length === 0) return found;
    const sources = new Map(segments.map((each) => [this.#files.index(each), each.source]));
    const hashes = objectIds.flatMap((id) => traces.map((trace) => indexHash(id, trace)));
    const matches = indexMatches([...sources.keys()], 'root_span_id', hashes);
    for (const match of await this.#read(matches)) {
      const source = sources.get(String(match['filename']))!;
      const rows = found.get(source);
      if (rows === undefined) found.set(source, [match['row'] as number]);
      else rows.push(match['row'] as number);
    }
    return found;
  }

  /** Passes `read` the row file or, if that is evicted, one of the row groups of these rows. */
  async #fromRows<T>(
    segment: SegmentName,
    rowNumbers: readonly number[],
    read: (file: string) => Promise<T>,
  ): Promise<T> {
    const whole = this.#files.rows(segment);
    if (!this.#checked.isEvicted(whole)) return read(whole);
    const rows = rowNumbers.toSorted((a, b) => a - b);
    return (await this.#groupFiles.use(whole, rows, Infinity, read)) as T;
  }

  /** `source` is the file that the one in the query is a part of. */
  async #read(query: Sql, source?: string): Promise<readonly Row[]> {
    await this.#checked.check(query);
    return this.#readUnchecked(query).catch(async (error: unknown) => {
      const statement = source === undefined ? query : sql`${query} ${source}`;
      throw await this.#checked.toReadError(error, statement, this.#readUnchecked);
    });
  }

  // The engine replaces an instance only if it sees its fatal error.
  readonly #readUnchecked = (query: Sql): Promise<readonly Row[]> =>
    this.#engine.use((connection) => connection.read(query));

  #index(segment: Segment): Promise<IdIndex> | IdIndex {
    const known = this.#indexes.get(segment.source);
    if (known !== undefined) return known;
    const loading = this.#load(segment);
    this.#indexes.set(segment.source, loading);
    loading.then(
      (index) => this.#keep(segment, loading, index),
      () => this.#indexes.delete(segment.source),
    );
    return loading;
  }

  /** Unless the segment was dropped while its index was read. */
  #keep({ source }: Segment, loading: Promise<IdIndex>, index: IdIndex): void {
    if (this.#indexes.get(source) === loading) this.#indexes.set(source, index);
  }

  async #load(segment: Segment): Promise<IdIndex> {
    const saved = await this.#saved(this.#files.ids(segment));
    if (saved !== null) return saved;
    const file = this.#files.index(segment);
    await this.#checked.checkFiles([file]);
    return this.#engine
      .use((connection) => buildIndex(file, segment.rows, connection))
      .catch(async (error: unknown) => {
        throw await this.#checked.toReadError(error, sql`${file}`, this.#readUnchecked);
      });
  }

  /** Returns null if the file is missing or damaged, since its content can be computed again. */
  async #saved(file: string): Promise<IdIndex | null> {
    try {
      await this.#checked.checkFiles([file]);
      return IdIndex.parse(await readFile(file));
    } catch {
      return null;
    }
  }
}
