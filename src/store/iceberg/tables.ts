// The Iceberg tables of projects. Their snapshots follow publications: each has the rows of one state of the store, once all of its
// segments are in the bucket.
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BucketClient } from '../../bucket/client.js';
import type { Writer } from '../../duckdb/writer.js';
import type { Reclamation } from '../file/reclamation.js';
import type { MaintenanceEngine } from '../maintenance/maintenance-engine.js';
import type { Publication } from '../maintenance/publish.js';
import { readDroppedSegments } from '../manifest/segments.js';
import { flushedUpTo, type StoreState } from '../manifest/store-state.js';
import { readTable, readTableFiles, storeTable } from '../manifest/tables.js';
import type { Supersessions } from '../row/supersessions.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { SegmentFiles, SegmentName } from '../segment/segment-files.js';
import { deadRowsFile, hasDeadRows, isSettled, markOf, type DeadRows } from './dead-rows.js';
import { HeldTables } from './held-tables.js';
import { nextNumber, type TableMetadata } from './metadata.js';
import {
  keysOf,
  nextSnapshot,
  tableLocation,
  tablePrefix,
  type SegmentObject,
  type SnapshotObject,
  type TableSegment,
  type TableState,
} from './snapshot.js';

export interface TableSettings {
  /** If not, the tables that there are are removed. */
  readonly isOn: boolean;
  /** Whether an object is deleted, so that no row of it is shown. */
  readonly isDeleted: (objectId: string) => boolean;
}

export interface TablesDeps extends TableSettings {
  readonly bucket: Pick<BucketClient, 'name' | 'put' | 'list' | 'delete'>;
  readonly writer: Writer;
  readonly engine: MaintenanceEngine;
  readonly files: SegmentFiles;
  readonly checked: CheckedFiles;
  readonly supersessions: Supersessions;
  readonly reclamation: Reclamation;
  readonly committed: () => StoreState;
  readonly temporaryDirectory: string;
  /** The least time between two snapshots of a table. */
  readonly intervalMs: number;
}

/** The uploaded segments of the current state, in its order. */
export type UploadedSegments = () => readonly SegmentObject[];

export interface PublishedTable {
  /** The address of the metadata. */
  readonly location: string;
  /** JSON. */
  readonly metadata: string;
}

type StoredFiles = Omit<TableState, 'metadata'>;

const sourcesOf = ({ kept }: StoredFiles): ReadonlySet<number> =>
  new Set(kept.flatMap(({ sources }) => sources));

export class Tables {
  readonly #parts: TablesDeps;
  /** By project, the segments that its snapshots need. */
  readonly #kept: Map<string, ReadonlySet<number>>;
  /** The projects whose tables may lack something, and whether only the next snapshot may stay. */
  readonly #stale = new Map<string, boolean>();
  /** When the last snapshot was published, by `performance.now()`. */
  readonly #publishedAt = new Map<string, number>();
  /** The projects of which all objects in the bucket are known. */
  readonly #tidy = new Set<string>();
  /** The projects whose tables begin anew. */
  readonly #anew = new Set<string>();
  readonly held = new HeldTables();

  private constructor(parts: TablesDeps, files: ReadonlyMap<string, string>) {
    this.#parts = parts;
    this.#kept = new Map(
      Array.from(files, ([id, text]) => [id, sourcesOf(JSON.parse(text) as StoredFiles)]),
    );
  }

  static async open(parts: TablesDeps): Promise<Tables> {
    const tables = new Tables(parts, await readTableFiles(parts.writer));
    for (const projectId of tables.#kept.keys()) tables.#stale.set(projectId, false);
    for (const { projectId } of parts.committed().segments) tables.#stale.set(projectId, false);
    // They may have been removed for good.
    for (const { projectId } of await readDroppedSegments(parts.writer))
      tables.#stale.set(projectId, true);
    return tables;
  }

  published({ replaced, outputs, removed }: Publication): void {
    for (const { projectId } of [...replaced, ...outputs.map(({ segment }) => segment)])
      this.#stale.set(projectId, removed !== undefined || this.#stale.get(projectId) === true);
  }

  /** Whether a snapshot needs the segment. */
  holds({ projectId, source }: SegmentName): boolean {
    return this.#kept.get(projectId)?.has(source) === true;
  }

  /** Whether the next snapshot of the project will be its only one. */
  isForgetting(projectId: string): boolean {
    return this.#stale.get(projectId) === true;
  }

  /** Called when others may have changed the bucket: all tables begin anew. */
  distrust(): void {
    for (const projectId of this.#kept.keys()) {
      this.#anew.add(projectId);
      this.held.show(projectId, null);
      this.#stale.set(projectId, true);
    }
    this.#tidy.clear();
  }

  /** The table of a project as readers get it; null if there is none. */
  async read(projectId: string): Promise<PublishedTable | null> {
    const { bucket, writer, isOn } = this.#parts;
    const stored = isOn && !this.#anew.has(projectId) ? await readTable(writer, projectId) : null;
    if (stored === null) return null;
    const { key } = JSON.parse(stored.files) as StoredFiles;
    return { location: `${bucket.name}/${key}`, metadata: stored.metadata };
  }

  /** Makes the next snapshot of the project due; that of each project without one. */
  hurry(projectId?: string): void {
    if (projectId === undefined) this.#publishedAt.clear();
    else this.#publishedAt.delete(projectId);
  }

  /**
   * Publishes the snapshots that are due.
   * @returns milliseconds until another one is; null if none is
   * @throws BucketError; RequestError 503 for a damaged segment; EngineError. The next call tries again.
   */
  async publish(uploaded: UploadedSegments): Promise<number | null> {
    let waitMs: number | null = null;
    for (const [projectId, forgets] of Array.from(this.#stale)) {
      const dueMs = forgets ? 0 : this.#dueMs(projectId);
      if (dueMs > 0) {
        waitMs = Math.min(waitMs ?? Infinity, dueMs);
        continue;
      }
      this.#stale.delete(projectId);
      try {
        const release = this.#parts.reclamation.pin();
        const isCurrent = await this.#publish(projectId, uploaded, forgets).finally(release);
        if (!isCurrent) this.#again(projectId, forgets);
      } catch (error) {
        this.#again(projectId, forgets);
        throw error;
      }
    }
    return waitMs;
  }

  #again(projectId: string, forgets: boolean): void {
    this.#stale.set(projectId, forgets || this.#stale.get(projectId) === true);
  }

  #dueMs(projectId: string): number {
    const last = this.#publishedAt.get(projectId) ?? -Infinity;
    return last + this.#parts.intervalMs - performance.now();
  }

  /** Returns false if some of the project's segments are not in the bucket yet. */
  async #publish(
    projectId: string,
    uploaded: UploadedSegments,
    forgets: boolean,
  ): Promise<boolean> {
    const { bucket, committed, isOn } = this.#parts;
    const before = await this.#read(projectId);
    const nowMs = Date.now();
    // From here to the first pause, nothing changes.
    const state = committed();
    const own = state.segments.filter((segment) => segment.projectId === projectId);
    if (own.length === 0 || !isOn) {
      await this.#remove(projectId);
      return true;
    }
    const objects = uploaded().filter(({ segment }) => segment.projectId === projectId);
    if (objects.length < own.length) return false;
    const version = flushedUpTo(state);
    const found = objects.map(({ segment }) => this.#deadRowsOf(segment, version));
    const written: SnapshotObject[] = [];
    const dead = new Map<number, Pick<TableSegment, 'mark' | 'dead'>>();
    for (const [index, rows] of found.entries()) {
      const known = before?.segments.find(({ source }) => source === rows.segment.source);
      const { key } = objects[index]!;
      dead.set(
        rows.segment.source,
        await this.#dead(rows, known, key, nextNumber(before?.metadata ?? null, nowMs), written),
      );
    }
    const isSame =
      before !== null &&
      before.segments.length === own.length &&
      before.segments.every(({ source, mark }) => dead.get(source)?.mark === mark) &&
      (!forgets || before.kept.length === 1);
    const shown = { version, segments: own, removals: state.removals };
    if (isSame) {
      this.held.show(projectId, { ...shown, number: before.metadata['current-snapshot-id'] });
      await this.#tidyUp(projectId, before, before);
      return true;
    }
    const next = await nextSnapshot(before, {
      projectId,
      bucket: bucket.name,
      uuid: randomUUID(),
      objects,
      dead,
      forgets,
      held: this.held.numbers(projectId),
      nowMs,
    });
    for (const object of [...written, ...next.objects]) await this.#put(object);
    const { metadata, ...files } = next.state;
    await storeTable(this.#parts.writer, projectId, {
      metadata: JSON.stringify(metadata),
      files: JSON.stringify(files),
    });
    this.#anew.delete(projectId);
    this.#kept.set(projectId, sourcesOf(files));
    this.held.show(projectId, { ...shown, number: metadata['current-snapshot-id'] });
    this.#publishedAt.set(projectId, performance.now());
    await this.#tidyUp(projectId, before, next.state);
    return true;
  }

  /** What later transactions superseded is superseded by rows that no segment has yet. */
  #deadRowsOf(segment: SegmentObject['segment'], upTo: bigint): DeadRows {
    const { supersessions, isDeleted } = this.#parts;
    return {
      segment,
      superseded: supersessions.of(segment.source, upTo),
      deleted: [...segment.objects.keys()].filter(isDeleted),
      upTo,
    };
  }

  /**
   * The dead rows of a segment, of which the file is added to `written` if it is a new one.
   * @param addedBy the number of the next snapshot
   */
  async #dead(
    rows: DeadRows,
    known: TableSegment | undefined,
    key: string,
    addedBy: number,
    written: SnapshotObject[],
  ): Promise<Pick<TableSegment, 'mark' | 'dead'>> {
    const mark = markOf(rows);
    if (known?.mark === mark) return known;
    if (!hasDeadRows(rows)) return { mark, dead: null };
    const { bucket, engine, files, checked, temporaryDirectory } = this.#parts;
    const { segment, upTo } = rows;
    const read = files.narrowest(segment);
    const [file, settled] = await checked.holding(read, async () => {
      await checked.checkFiles(read);
      return engine.use(async (connection) => [
        await deadRowsFile(connection, files, rows, `${bucket.name}/${key}`, temporaryDirectory),
        await isSettled(connection, files, rows),
      ]);
    });
    const settledMark = settled ? mark : `${mark} at ${upTo}`;
    if (file === null) return { mark: settledMark, dead: null };
    const { content, rows: count } = file;
    const name = `${tablePrefix(segment.projectId)}${addedBy}-${segment.source}.deletes.parquet`;
    written.push({ key: name, content });
    return {
      mark: settledMark,
      dead: { key: name, rows: count, bytes: content.length, addedBy },
    };
  }

  /** Null for a table in another bucket, too: it begins anew. */
  async #read(projectId: string): Promise<TableState | null> {
    const { bucket, writer } = this.#parts;
    const stored = await readTable(writer, projectId);
    if (stored === null || this.#anew.has(projectId)) return null;
    const metadata = JSON.parse(stored.metadata) as TableMetadata;
    if (metadata.location !== tableLocation(bucket.name, projectId)) return null;
    return { metadata, ...(JSON.parse(stored.files) as StoredFiles) };
  }

  async #put({ key, content }: SnapshotObject): Promise<void> {
    await this.#parts.bucket.put(key, {
      bytes: content.length,
      crc32: crc32(content),
      open: () => [content],
    });
  }

  /** Removes what no snapshot needs any more; at first also what an earlier process left. */
  async #tidyUp(projectId: string, before: TableState | null, now: TableState): Promise<void> {
    const needed = keysOf(now);
    const unneeded = this.#tidy.delete(projectId)
      ? [...keysOf(before ?? now)].filter((key) => !needed.has(key))
      : await this.#listed(projectId, needed);
    for (const key of unneeded) await this.#parts.bucket.delete(key);
    this.#tidy.add(projectId);
  }

  /** The keys of the project's objects that are not in `needed`. */
  async #listed(projectId: string, needed: ReadonlySet<string>): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of this.#parts.bucket.list(tablePrefix(projectId)))
      if (!needed.has(key)) keys.push(key);
    return keys;
  }

  async #remove(projectId: string): Promise<void> {
    for (const key of await this.#listed(projectId, new Set()))
      await this.#parts.bucket.delete(key);
    if (this.#kept.has(projectId)) await storeTable(this.#parts.writer, projectId, null);
    this.held.show(projectId, null);
    this.#kept.delete(projectId);
    this.#anew.delete(projectId);
    this.#tidy.delete(projectId);
  }
}
