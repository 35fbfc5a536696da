// Maps the sources of one state of the store to branches: SELECTs of the row versions that are live at a version.
import { emptySql, identifier, join, sql, type Sql } from '../../../duckdb/sql.js';
import type { EventBranch, BranchScan } from '../../../schema/event-relation.js';
import { amongRows } from '../../row/event-table.js';
import type { EventLog } from '../../log/event-log.js';
import { statsOf, type Segment } from '../../segment/segment.js';
import type { SegmentLookup } from '../../segment/segment-lookup.js';
import type { SegmentFiles } from '../../segment/segment-files.js';
import type { Generation, StoreState } from '../../manifest/store-state.js';
import { xactsOverlap, type ChunkedRows } from '../chunks/chunks.js';
import {
  chunksOfGeneration,
  chunksOfObject,
  type ChunkSettings,
  type ChunkUnit,
  type XactRange,
} from '../chunks/source-chunks.js';
import type { TailTables } from './tail-files.js';
import { among, bufferSource, segmentSource, type Source } from './source.js';

type Parts = Omit<BranchScan, 'rows'>;

/** The condition for rows that were live at `version`, as far as their segment records it; null for the latest version. */
const notSupersededAt = (version: bigint | null): Sql =>
  version === null
    ? sql`_superseded_by IS NULL`
    : sql`(_superseded_by IS NULL OR _superseded_by > ${version})`;

/** Replaces the narrow file by the row file, whose smaller row groups are faster for a few rows. */
const fromWide = ({ from, conditions, metByNarrow = [] }: Parts): Parts => ({
  from,
  narrow: from,
  files: null,
  conditions: [...conditions, ...metByNarrow],
});

function select(columns: Sql, { from, conditions }: Pick<Parts, 'from' | 'conditions'>): Sql {
  const where = conditions.length === 0 ? emptySql : sql`WHERE ${join(conditions, ' AND ')}`;
  return sql`SELECT ${columns} FROM ${from} ${where}`;
}

const toBranch = (
  { branch, lacksInputHash }: Source,
  parts: NonNullable<EventBranch['parts']>,
  rowCount: number | null,
): EventBranch => ({ ...branch, rows: parts.rows, rowCount, parts: { ...parts, lacksInputHash } });

/** Where the sizes of chunks come from. */
export interface ChunkDeps {
  readonly lookup: SegmentLookup;
  readonly log: EventLog;
  readonly chunks: ChunkSettings;
}

/** Restrictions on the rows, besides the objects. */
export interface Restriction {
  /** Omits sources without rows in the range. */
  readonly range?: XactRange;
  /** Omits all other sources. */
  readonly sources?: readonly number[];
  /** A condition on the rows. */
  readonly condition?: Sql;
  /** The row numbers that can meet the condition, by segment. Omits all other segments. */
  readonly rows?: ReadonlyMap<number, readonly number[]>;
  /** Selects all row versions, tombstones included, instead of the live ones. */
  readonly isHistory?: boolean;
}

const overlaps = (source: Source, range: XactRange): boolean =>
  xactsOverlap(source, range) &&
  (source.created === null || range.created === undefined || meets(source.created, range.created));

const meets = (
  { min, max }: { readonly min: bigint; readonly max: bigint },
  { from, to }: Omit<XactRange, 'created'>,
): boolean => (to === null || min <= to) && (from === null || max >= from);

const newestFirst = (sources: readonly Source[]): readonly Source[] =>
  sources.toSorted((a, b) => (a.firstXactId > b.firstXactId ? -1 : 1));

const conditionsOf = (source: Source, restriction: Restriction): readonly Sql[] => [
  ...(source.hasTombstones ? [sql`NOT _deleted`] : []),
  ...requiredOf(source, restriction),
];

function requiredOf(source: Source, { condition, rows }: Restriction): readonly Sql[] {
  const numbers = rows?.get(source.number);
  return [
    ...(condition === undefined ? [] : [condition]),
    ...(numbers === undefined ? [] : [amongRows(numbers)]),
  ];
}

/** The conditions for rows of the objects up to `version`. */
const ofObjectsAt = ({ ofObjects, lastXactId }: Source, version: bigint): readonly Sql[] => [
  ...(ofObjects === null ? [] : [ofObjects]),
  ...(lastXactId === null || lastXactId > version ? [sql`_xact_id <= ${version}`] : []),
];

/** All row versions up to `version`, tombstones included. */
const historyOf = (source: Source, more: readonly Sql[], version: bigint): Parts => ({
  from: sql`${source.from} b`,
  narrow: sql`${source.narrow} b`,
  files: null,
  conditions: [...more, ...ofObjectsAt(source, version)],
});

export class SnapshotSources {
  readonly #state: StoreState;
  readonly #tails: TailTables;
  readonly #files: SegmentFiles;

  constructor(state: StoreState, tails: TailTables, files: SegmentFiles) {
    this.#state = state;
    this.#tails = tails;
    this.#files = files;
  }

  /** Segments that may have rows of the objects up to `version`. */
  segments(objectIds: readonly string[], version: bigint): readonly Segment[] {
    return this.#state.segments.filter(
      (segment) => segment.firstXactId <= version && statsOf(segment, objectIds).length > 0,
    );
  }

  /** One branch for each source that may have rows of the objects; at least one. */
  live(
    objectIds: readonly string[],
    version: bigint,
    restriction: Restriction = {},
  ): readonly EventBranch[] {
    return this.#reached(objectIds, version, restriction).map((source) => {
      const isHistory = restriction.isHistory === true;
      const all = isHistory
        ? historyOf(source, requiredOf(source, restriction), version)
        : this.#parts(source, conditionsOf(source, restriction), version);
      const parts = restriction.rows === undefined ? all : fromWide(all);
      const rows = sql`(${select(source.columns, fromWide(all))})`;
      const rowCount = isHistory ? null : this.#rowCount(source, version, restriction);
      return toBranch(source, { ...parts, rows }, rowCount);
    });
  }

  #rowCount(source: Source, version: bigint, { condition, rows }: Restriction): number | null {
    const { lastXactId, rowsExactly } = source;
    const isWhole = lastXactId !== null && lastXactId <= version;
    const isAsWritten = !this.#state.superseded.has(source.number);
    return isWhole && isAsWritten && condition === undefined && rows === undefined
      ? rowsExactly
      : null;
  }

  /** SELECT of the number of buffered row versions of the objects as `n`; null if no rows are buffered. */
  buffered(objectIds: readonly string[], version: bigint): Sql | null {
    const { sealed, active } = this.#state;
    const generations = [...sealed, active].filter(({ rowCount }) => rowCount > 0);
    if (generations.length === 0) return null;
    const rows = generations.map(
      (generation) => sql`
        SELECT 1 FROM ${this.#buffer(generation, objectIds, null).from}
        WHERE ${among(objectIds)} AND _xact_id <= ${version}`,
    );
    return sql`SELECT count(*) AS n FROM (${join(rows, ' UNION ALL ')})`;
  }

  /** The rows of the objects in the sources that reach into the range, to be divided; newest source first. */
  chunked(
    objectIds: readonly string[],
    version: bigint,
    range: XactRange,
    { lookup, log, chunks: settings }: ChunkDeps,
  ): readonly ChunkedRows[] {
    const { sealed, active } = this.#state;
    const segments = new Map(this.segments(objectIds, version).map((of) => [of.source, of]));
    const ofSegment = async (segment: Segment, unit: ChunkUnit) => {
      const stats = statsOf(segment, objectIds);
      const groups = await lookup.groups.of(segment);
      return stats.flatMap((of) => chunksOfObject(of, groups, unit, stats.length === 1));
    };
    return newestFirst(this.#reached(objectIds, version, { range })).map((source) => {
      const segment = segments.get(source.number);
      const generation = [...sealed, active].find((each) => each.source === source.number);
      return {
        source: source.number,
        firstXactId: source.firstXactId,
        lastXactId: source.lastXactId,
        isInOrder: source.isInOrder,
        chunks: async (unit) =>
          segment === undefined
            ? chunksOfGeneration(generation!, log, settings)
            : ofSegment(segment, unit),
      };
    });
  }

  /** SELECT of (object_id, id): the ids whose latest version is a tombstone. */
  tombstoned(objectIds: readonly string[], version: bigint): Sql {
    const branches = this.#reached(objectIds, version)
      .filter(({ hasTombstones }) => hasTombstones)
      .map((source) => {
        const { narrow, conditions } = this.#parts(source, [sql`_deleted`], version);
        return select(sql`object_id, id`, { from: narrow, conditions });
      });
    const none = sql`SELECT '' AS object_id, '' AS id WHERE FALSE`;
    return join([none, ...branches], ' UNION ALL ');
  }

  /** SELECT of (object_id, id, root_span_id, _xact_id): all tombstones, superseded ones included. */
  deletions(objectIds: readonly string[], version: bigint): Sql {
    const branches = this.#reached(objectIds, version)
      .filter(({ hasTombstones }) => hasTombstones)
      .map(
        ({ narrow }) => sql`
          SELECT object_id, id, root_span_id, _xact_id FROM ${narrow}
          WHERE _deleted AND ${among(objectIds)} AND _xact_id <= ${version}`,
      );
    const none = sql`SELECT '' AS object_id, '' AS id, '' AS root_span_id, 0::BIGINT AS _xact_id WHERE FALSE`;
    return join([none, ...branches], ' UNION ALL ');
  }

  // Includes the active generation if there is no other source, since a relation has at least one branch.
  #reached(
    objectIds: readonly string[],
    version: bigint,
    { range, rows, sources: only }: Restriction = {},
  ): readonly Source[] {
    const { active } = this.#state;
    const segments = this.segments(objectIds, version).filter(
      ({ source }) => (rows?.has(source) ?? true) && (only?.includes(source) ?? true),
    );
    const older = [
      ...this.#sealedSources(objectIds),
      ...segments.map((segment) => segmentSource(segment, objectIds, this.#files)),
    ].filter(
      (source) => source.firstXactId <= version && (range === undefined || overlaps(source, range)),
    );
    const isNeeded = active.rowCount > 0 || older.length === 0;
    const all = isNeeded ? [this.#buffer(active, objectIds, null), ...older] : older;
    return only === undefined ? all : all.filter(({ number }) => only.includes(number));
  }

  #sealedSources(objectIds: readonly string[]): readonly Source[] {
    const { sealed, active } = this.#state;
    const next = [...sealed.slice(1), active];
    return sealed.map((generation, index) =>
      this.#buffer(generation, objectIds, next[index]!.afterXactId),
    );
  }

  #buffer(generation: Generation, objectIds: readonly string[], lastXactId: bigint | null): Source {
    const rows = this.#tails.get(generation.source) ?? null;
    return bufferSource(generation, rows, objectIds, lastXactId);
  }

  #parts(source: Source, more: readonly Sql[], version: bigint): Parts {
    const conditions = [...more, ...ofObjectsAt(source, version)];
    const isLatest = version >= this.#state.lastXactId;
    const notSuperseded = source.hasSuperseded ? [notSupersededAt(isLatest ? null : version)] : [];
    const antiJoin = this.#withoutSuperseded(source.number, version);
    const live = isLatest ? source.narrowLive : null;
    const isWhole = live !== null || source.narrowLive === null;
    const isPlain = isWhole && !this.#state.superseded.has(source.number);
    return {
      from: sql`${source.from} b ${antiJoin}`,
      narrow: sql`${live ?? source.narrow} b ${antiJoin}`,
      files: isPlain ? source.files : null,
      conditions: live === null ? [...conditions, ...notSuperseded] : conditions,
      metByNarrow: live === null ? [] : notSuperseded,
    };
  }

  // Supersessions that were added after the snapshot have later transaction ids than it can see.
  #withoutSuperseded(source: number, version: bigint): Sql {
    if (!this.#state.superseded.has(source)) return emptySql;
    return sql`
      ANTI JOIN (
        SELECT "row" AS _row FROM supersession
        WHERE source = ${BigInt(source)} AND by_xact_id <= ${version}
      ) ${identifier('superseded')} USING (_row)`;
  }
}
