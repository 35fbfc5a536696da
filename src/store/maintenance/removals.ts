// Removes events for good: rewrites every segment that has one of their row versions, and removes segments that have no others.
// Segments are published one by one, the oldest first: if that stops in the middle, the versions that are left are the latest ones
// of their events, as if there had been no others. The next attempt removes them.
import { EngineError } from '../../duckdb/engine-error.js';
import type { Connection } from '../../duckdb/connection.js';
import { join, sql, word } from '../../duckdb/sql.js';
import type { Removed } from '../../schema/removal.js';
import type { Segment } from '../segment/segment.js';
import type { CheckedFiles } from '../segment/checked-files.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { Committer } from '../commit/committer.js';
import type { Leaving } from './compaction.js';
import { withoutSegments, type Publication } from './publish.js';
import type { Publisher } from './publisher.js';
import type { MaintenanceEngine } from './maintenance-engine.js';
import { rowsOfEvents } from './removed-rows.js';

export interface RemovalRequest {
  readonly projectId: string;
  /** A Parquet file with the columns object_id and id, both VARCHAR: the events whose versions are removed. */
  readonly events: string;
  readonly signal: AbortSignal;
}

/** A removal in progress. */
export interface Removal extends RemovalRequest {
  /** The numbers of the segments from which its rows are removed already. */
  readonly searched: Set<number>;
}

/** A segment and the number of its rows that are to be removed. */
interface SegmentRemoval {
  readonly segment: Segment;
  readonly rows: number;
}

interface CountDeps {
  readonly engine: MaintenanceEngine;
  readonly files: SegmentFiles;
  readonly committer: Pick<Committer, 'state'>;
  readonly checked: CheckedFiles;
}

export interface RemovalDeps extends CountDeps {
  readonly publisher: Publisher;
  /** Writes the segment again without some rows. Returns null if there are too few of them. */
  readonly merge: (segment: Segment, leaving: Leaving) => Promise<Publication | null>;
}

/** The size of all files of a segment. */
const filesBytes = ({ checksums }: Pick<Segment, 'checksums'>): number =>
  Object.values(checksums).reduce((sum, { bytes }) => sum + bytes, 0);

/** An estimate of the bytes that the rows of a segment take: rows have the same size on average. */
const shareOf = ({ segment, rows }: SegmentRemoval): number =>
  rows === segment.rows
    ? filesBytes(segment)
    : Math.floor((filesBytes(segment) * rows) / segment.rows);

/** Segments that are counted by one statement. */
const segmentsAtOnce = 16;

/** Those segments that have rows of the events. */
async function segmentsToRewrite(
  { engine, files, checked }: Omit<CountDeps, 'committer'>,
  segments: readonly Segment[],
  { events, signal }: Pick<RemovalRequest, 'events' | 'signal'>,
): Promise<readonly SegmentRemoval[]> {
  const found: SegmentRemoval[] = [];
  for (let first = 0; first < segments.length; first += segmentsAtOnce) {
    signal.throwIfAborted();
    const counted = segments.slice(first, first + segmentsAtOnce);
    const counts = counted.map(
      (segment) => sql`
        SELECT ${word(segment.source)} AS source, count(*) AS "rows"
        FROM (${rowsOfEvents(files, segment, events)})`,
    );
    const read = counted.flatMap((segment) => files.narrowest(segment));
    const rows = await checked.holding(read, () =>
      engine.use((connection) => connection.read(join(counts, ' UNION ALL '))),
    );
    const bySource = new Map(rows.map(({ source, rows: n }) => [source as number, Number(n)]));
    for (const segment of counted) {
      const count = bySource.get(segment.source) ?? 0;
      if (count > 0) found.push({ segment, rows: count });
    }
  }
  return found;
}

const isWhole = ({ segment, rows }: SegmentRemoval): boolean => rows === segment.rows;

/** Sums up what leaves with these rows. */
const total = (removals: readonly SegmentRemoval[]): Removed => ({
  rows: removals.reduce((sum, { rows }) => sum + rows, 0),
  bytes: removals.reduce((sum, removal) => sum + shareOf(removal), 0),
});

const segmentsOf = ({ committer }: CountDeps, projectId: string): readonly Segment[] =>
  committer.state.segments.filter((segment) => segment.projectId === projectId);

/** What a removal would take from the segments. */
export async function estimate(deps: CountDeps, request: RemovalRequest): Promise<Removed> {
  return total(await segmentsToRewrite(deps, segmentsOf(deps, request.projectId), request));
}

/**
 * Removes the rows of the events from those segments of the project that were not searched before. A small segment can grow: then
 * its bytes count as 0.
 * @throws RequestError 503 for a damaged segment, EngineError, the signal's reason
 */
export async function removeEvents(deps: RemovalDeps, removal: Removal): Promise<Removed> {
  const { projectId, events, signal, searched } = removal;
  const { files, checked, publisher, merge } = deps;
  const segments = segmentsOf(deps, projectId).filter(({ source }) => !searched.has(source));
  const found = await segmentsToRewrite(deps, segments, removal);
  for (const { source } of segments) searched.add(source);
  let [rows, bytes] = [0, 0];
  const removed = { kind: 'events' } as const;
  const leaveOut = (_connection: Connection, segment: Segment) =>
    rowsOfEvents(files, segment, events);
  for (const part of found) {
    signal.throwIfAborted();
    const { segment } = part;
    if (!isWhole(part)) await checked.checkFiles([files.rows(segment)]);
    const rewritten = isWhole(part)
      ? withoutSegments([segment], deps.committer.state)
      : await merge(segment, { removed, rowsMin: 1, leaveOut });
    if (rewritten === null) continue;
    await publisher.publish(rewritten);
    const written = rewritten.outputs.map((output) => output.segment);
    for (const { source } of written) searched.add(source);
    rows += part.rows;
    bytes += filesBytes(segment) - written.reduce((sum, each) => sum + filesBytes(each), 0);
  }
  return { rows, bytes: Math.max(0, bytes) };
}

interface Waiting {
  readonly removal: Removal;
  readonly resolve: (removed: Removed) => void;
  readonly reject: (error: unknown) => void;
}

/** The removals that wait for the job of merges. */
export class WaitingRemovals {
  #waiting: Waiting[] = [];
  #closed = false;

  add(removal: Removal): Promise<Removed> {
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(closedError());
      else this.#waiting.push({ removal, resolve, reject });
    });
  }

  /** Runs the first one. Returns false if there is none. */
  async next(run: (removal: Removal) => Promise<Removed>): Promise<boolean> {
    const first = this.#waiting.shift();
    if (first === undefined) return false;
    await run(first.removal).then(first.resolve, first.reject);
    return true;
  }

  /** Rejects those that wait. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closedError());
  }
}

const closedError = () => new EngineError('interrupted', 'the store is closed');
