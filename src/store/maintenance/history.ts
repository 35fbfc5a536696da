// The history of events: row versions leave when no version that is kept needs them. These are superseded rows, and tombstones
// without an older version on disk: `evalstore repair` would take the older one for the latest.
import { sql, word, type Sql } from '../../duckdb/sql.js';
import type { Connection } from '../../duckdb/connection.js';
import { feedbackObjectId } from '../../schema/feedback.js';
import { nextXactId } from '../../schema/xact-id.js';
import type { Committer } from '../commit/committer.js';
import { flushedUpTo, type StoreState } from '../manifest/store-state.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentFiles } from '../segment/segment-files.js';
import type { SegmentLookup } from '../segment/segment-lookup.js';
import { readSegment } from '../segment/segment-table.js';
import type { Leaving } from './compaction.js';

export interface HistorySettings {
  /** The age in days up to which versions can be read; null keeps all. */
  readonly days: number | null;
  /** Whether all versions of the object are kept. */
  readonly keepsAll: (objectId: string) => boolean;
}

export const wholeHistory: HistorySettings = { days: null, keepsAll: () => true };

/** A segment is rewritten when this share of its rows can leave. */
const leavingShare = 0.2;
/** A segment with fewer rows to leave is counted again after this time, or when older segments changed. */
const recountMs = 3_600_000;
const dayMs = 86_400_000;

export interface HistoryDeps {
  readonly files: SegmentFiles;
  readonly lookup: SegmentLookup;
  readonly committer: Pick<Committer, 'state' | 'index'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class History {
  readonly #settings: HistorySettings;
  readonly #parts: HistoryDeps;
  /** By source, when the rows that can leave were counted, and the older segments at that time. */
  readonly #counted = new Map<number, { readonly at: number; readonly older: string }>();

  constructor(settings: HistorySettings, parts: HistoryDeps) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** The oldest version that can be read of the object; 0 for every version. */
  from(objectId: string): bigint {
    if (this.#settings.keepsAll(objectId)) return 0n;
    const { historyFrom } = this.#parts.committer.state;
    const horizon = this.#horizon();
    return horizon !== null && horizon > historyFrom ? horizon : historyFrom;
  }

  /** Milliseconds after which further rows may leave; null if all versions are kept. */
  get recountMs(): number | null {
    return this.#settings.days === null ? null : recountMs;
  }

  /** What a merge of these neighbours leaves out; undefined if no row can leave. */
  leaving(segments: readonly Segment[], rowsMin = 0): Leaving | undefined {
    const upTo = this.#horizon();
    if (upTo === null || segments.every(({ firstXactId }) => firstXactId >= upTo)) return undefined;
    const older = olderThan(this.#parts.committer.state, segments[0]!);
    return {
      removed: { kind: 'history', upTo },
      rowsMin,
      leaveOut: async (connection, segment, supersessions) =>
        sql`${this.#superseded(segment, supersessions, upTo)}
          UNION ALL ${await this.#tombstones(connection, segment, supersessions, { upTo, older })}`,
    };
  }

  /** The oldest segment of which enough rows may leave, with the least number that is worth it; null if there is none. */
  next(
    canMerge: (source: number) => boolean,
  ): { readonly segment: Segment; readonly rowsMin: number } | null {
    const upTo = this.#horizon();
    if (upTo === null) return null;
    const { state } = this.#parts.committer;
    // A merge does not know what rows in the logs superseded: it can leave out more after each flush.
    const unflushed = upTo > flushedUpTo(state) ? flushedUpTo(state) : '';
    for (const segment of state.segments) {
      const rowsMin = Math.ceil(leavingShare * segment.rows);
      if (segment.firstXactId >= upTo || this.#deadRows(segment) < rowsMin) continue;
      if (!canMerge(segment.source)) continue;
      const older = `${namesOf(olderThan(state, segment))} ${unflushed}`;
      const before = this.#counted.get(segment.source);
      const now = performance.now();
      if (before !== undefined && before.older === older && now - before.at < recountMs) continue;
      this.#counted.set(segment.source, { at: now, older });
      return { segment, rowsMin };
    }
    this.#dropCounts();
    return null;
  }

  /** Drops the counts of segments that are no longer listed. */
  #dropCounts(): void {
    const listed = new Set(this.#parts.committer.state.segments.map(({ source }) => source));
    for (const source of this.#counted.keys())
      if (!listed.has(source)) this.#counted.delete(source);
  }

  #horizon(): bigint | null {
    const { days } = this.#settings;
    if (days === null) return null;
    return nextXactId(0n, (this.#parts.now() - days * dayMs) / 1000);
  }

  /** At least the number of rows that can leave. */
  #deadRows({ source, objects }: Segment): number {
    let dead = this.#parts.committer.state.superseded.get(source) ?? 0;
    for (const { objectId, superseded, tombstones } of objects.values())
      if (!this.#settings.keepsAll(objectId)) dead += superseded + tombstones;
    return dead;
  }

  #keptWhole({ objects }: Segment): readonly string[] {
    return [...objects.keys()].filter(this.#settings.keepsAll);
  }

  #rows(segment: Segment, supersessions: Sql): Sql {
    const { files } = this.#parts;
    return sql`(
      SELECT r._row, object_id, id, _xact_id, _deleted, coalesce(_superseded_by, by_xact_id) AS ended
      FROM ${readSegment(files.narrowest(segment))} r LEFT JOIN (
        SELECT "row" AS _row, by_xact_id FROM ${supersessions}
        WHERE source = ${word(segment.source)}
      ) s USING (_row)
      WHERE object_id NOT IN (SELECT unnest(${this.#keptWhole(segment)}::VARCHAR[])))`;
  }

  #superseded(segment: Segment, supersessions: Sql, upTo: bigint): Sql {
    return sql`SELECT _row AS "row" FROM ${this.#rows(segment, supersessions)} WHERE ended <= ${upTo}`;
  }

  /** Those tombstones that are the latest version and, when the superseded rows of the merge have left, the only one. */
  async #tombstones(
    connection: Connection,
    segment: Segment,
    supersessions: Sql,
    { upTo, older }: { readonly upTo: bigint; readonly older: readonly Segment[] },
  ): Promise<Sql> {
    const rows: string[] = [];
    const withFeedback = new Set([...segment.objects.keys()].filter((id) => this.#hasFeedback(id)));
    if ([...segment.objects.values()].some(({ tombstones }) => tombstones > 0))
      for await (const chunk of connection.stream(sql`
        SELECT object_id, id, _row FROM ${this.#rows(segment, supersessions)}
        WHERE _deleted AND ended IS NULL AND _xact_id <= ${upTo}`))
        for (const [objectId, id, row] of chunk as readonly (readonly [string, string, number])[])
          if (
            !withFeedback.has(objectId) &&
            !(await this.#parts.lookup.mayHave(older, objectId, id))
          )
            rows.push(String(row));
    return sql`SELECT unnest(${rows}::INTEGER[]) AS "row"`;
  }

  /** A tombstone ends the feedback that is older. */
  #hasFeedback(objectId: string): boolean {
    const { state, index } = this.#parts.committer;
    const feedback = feedbackObjectId(objectId);
    return (
      state.segments.some(({ objects }) => objects.has(feedback)) ||
      index.ofObject(feedback).length > 0
    );
  }
}

/** The segments of the project before this one. */
function olderThan({ segments }: StoreState, { projectId, source }: Segment): readonly Segment[] {
  const own = segments.filter((segment) => segment.projectId === projectId);
  return own.slice(
    0,
    own.findIndex((segment) => segment.source === source),
  );
}

const namesOf = (segments: readonly Segment[]): string =>
  segments.map(({ source }) => source).join(' ');
