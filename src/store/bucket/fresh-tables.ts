// Tables with every acknowledged event, for queries that other engines answer. What is missing is flushed, uploaded and published first.
import { setTimeout as delay } from 'node:timers/promises';
import type { SegmentPaths } from '../../schema/event-relation.js';
import { maxBigint } from '../../schema/xact-id.js';
import { unlessAborted } from '../../unless-aborted.js';
import type { Committer } from '../commit/committer.js';
import type { Sealer } from '../commit/sealer.js';
import type { HeldTable } from '../iceberg/held-tables.js';
import { pathsIn } from '../iceberg/paths.js';
import type { Maintenance } from '../maintenance/maintenance.js';
import { statsOf } from '../segment/segment.js';
import type { Uploads } from './uploads.js';

/** A snapshot of a table, as queries over some objects read it. It stays until it is released, unless rows are removed for good. */
export interface TableSnapshot extends Pick<HeldTable, 'number' | 'version' | 'release'> {
  /** As that of a snapshot of the store which has the same rows of the objects. */
  readonly identity: string;
  /** What each segment with rows of the objects has of each path, with the names of the table's columns; null where that is unknown. */
  readonly segments: readonly (SegmentPaths | null)[];
}

/** A publication lacks the events if other segments are published, and not uploaded yet, in the middle of it. */
const triesMax = 3;

interface FreshTablesDeps {
  /** The least time between two publications of a project's table, each of which makes a segment. */
  readonly bucketTimes: { readonly tableMs: number };
  readonly uploads: Uploads;
  readonly sealer: Pick<Sealer, 'seal'>;
  readonly maintenance: Pick<Maintenance, 'flushed'>;
  readonly committer: Pick<Committer, 'lastWrites'>;
}

export class FreshTables {
  readonly #parts: FreshTablesDeps;
  /** By project, the publication that has not begun, which has the events of all that wait for it. */
  readonly #next = new Map<string, Promise<void>>();
  /** When the last one began, by `performance.now()`. */
  readonly #begun = new Map<string, number>();

  constructor(parts: FreshTablesDeps) {
    this.#parts = parts;
  }

  /** The current snapshot, whatever it lacks; null without a table. */
  current(projectId: string, objectIds: readonly string[]): Promise<TableSnapshot | null> {
    return this.#opened(projectId, objectIds, 0n);
  }

  /**
   * A snapshot with every event of the objects that is acknowledged now.
   * @returns null if that cannot be: without a table, or while the disk or the bucket fails
   * @throws the signal's reason if it is aborted
   */
  async fresh(
    projectId: string,
    objectIds: readonly string[],
    signal: AbortSignal,
  ): Promise<TableSnapshot | null> {
    const { lastWrites } = this.#parts.committer;
    const version = objectIds.map((id) => lastWrites.of(id)).reduce(maxBigint, 0n);
    for (let tries = 0; tries < triesMax; tries++) {
      const found = await this.#opened(projectId, objectIds, version);
      if (found !== null) return found;
      await unlessAborted(this.#published(projectId), signal);
    }
    return this.#opened(projectId, objectIds, version);
  }

  async #opened(
    projectId: string,
    objectIds: readonly string[],
    from: bigint,
  ): Promise<TableSnapshot | null> {
    const { uploads, committer } = this.#parts;
    const held = uploads.tables?.held.hold(projectId, from) ?? null;
    if (held === null) return null;
    const { number, version, release } = held;
    try {
      const table = await uploads.tables?.read(projectId);
      const paths = table && pathsIn(table, number);
      const segments = held.segments.filter((segment) => statsOf(segment, objectIds).length > 0);
      if (paths) {
        const identity = committer.lastWrites.identity(objectIds, version, held);
        return { number, version, release, identity, segments: segments.map(paths) };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return null;
  }

  #published(projectId: string): Promise<void> {
    const waiting = this.#next.get(projectId);
    if (waiting !== undefined) return waiting;
    const next = this.#publishNext(projectId);
    this.#next.set(projectId, next);
    return next;
  }

  async #publishNext(projectId: string): Promise<void> {
    const { uploads, sealer, maintenance, bucketTimes } = this.#parts;
    const last = this.#begun.get(projectId) ?? -Infinity;
    await delay(Math.max(0, last + bucketTimes.tableMs - performance.now()), undefined, {
      ref: false,
    });
    this.#next.delete(projectId);
    this.#begun.set(projectId, performance.now());
    // Failures of the disk and of the bucket are logged, and tried again, where they happen.
    await sealer.seal().catch(() => {});
    await maintenance.flushed();
    // A round that runs already may not see what was flushed.
    await uploads.round;
    uploads.tables?.hurry(projectId);
    uploads.schedule();
    await uploads.round;
  }
}
