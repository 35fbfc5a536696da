// The sources of rows at one moment -> SELECTs of the row versions that are live at a transaction id.
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import type { EventArm } from '../schema/event-relation.js';
import { bufferTable, eventColumnList } from './event-table.js';
import { factsOf, type Segment } from './segment.js';
import type { SegmentFiles } from './segment-files.js';
import { readSegment } from './segment-table.js';
import type { Generation, StoreState } from './store-state.js';

/** A table or file of row versions, and what is known of those of some objects. */
interface Source {
  readonly arm: Omit<EventArm, 'rows'>;
  readonly number: number;
  readonly columns: Sql;
  readonly from: Sql;
  readonly firstXactId: bigint;
  /** null: not known, may be greater than any transaction id. */
  readonly lastXactId: bigint | null;
  readonly hasTombstones: boolean;
  /** `_superseded_by` says which rows were superseded before they were written here. */
  readonly hasSuperseded: boolean;
}

const bufferSource = (generation: Generation): Source => ({
  arm: { name: `buffer ${generation.source}`, hasLossless: generation.lossless > 0, paths: null },
  number: generation.source,
  columns: eventColumnList,
  from: bufferTable(generation.source),
  firstXactId: generation.afterXactId + 1n,
  lastXactId: null,
  hasTombstones: generation.tombstones > 0,
  hasSuperseded: false,
});

function segmentSource(
  segment: Segment,
  objectIds: readonly string[],
  files: SegmentFiles,
): Source | null {
  const facts = factsOf(segment, objectIds);
  if (facts.length === 0) return null;
  return {
    arm: {
      name: `segment ${segment.source}`,
      hasLossless: segment.hasLossless,
      paths: segment.paths,
    },
    number: segment.source,
    columns: sql`*`,
    from: readSegment(files.rows(segment)),
    firstXactId: facts.map(({ minXactId }) => minXactId).reduce((a, b) => (a < b ? a : b)),
    lastXactId: facts.map(({ maxXactId }) => maxXactId).reduce((a, b) => (a > b ? a : b)),
    hasTombstones: facts.some(({ tombstones }) => tombstones > 0),
    hasSuperseded: facts.some(({ superseded }) => superseded > 0),
  };
}

export class SnapshotSources {
  readonly #state: StoreState;
  readonly #files: SegmentFiles;

  constructor(state: StoreState, files: SegmentFiles) {
    this.#state = state;
    this.#files = files;
  }

  /** One arm for each source that may hold rows of the objects; at least one. */
  live(objectIds: readonly string[], version: bigint): readonly EventArm[] {
    return this.#reached(objectIds, version).map((source) => ({
      ...source.arm,
      rows: sql`(${this.#liveRows(source, objectIds, version)})`,
    }));
  }

  /** (object_id, id) of the ids whose latest version is a tombstone. */
  tombstoned(objectIds: readonly string[], version: bigint): Sql {
    const arms = this.#reached(objectIds, version).map((source) =>
      this.#select(source, sql`object_id, id`, sql`_deleted`, objectIds, version),
    );
    return join(arms, ' UNION ALL ');
  }

  // The newest generation is always there, so that a relation is never without an arm.
  #reached(objectIds: readonly string[], version: bigint): readonly Source[] {
    const { active, sealed, segments } = this.#state;
    const older = [
      ...sealed.map(bufferSource),
      ...segments.map((segment) => segmentSource(segment, objectIds, this.#files)),
    ].filter((source) => source !== null && source.firstXactId <= version);
    return [bufferSource(active), ...(older as readonly Source[])];
  }

  #liveRows(source: Source, objectIds: readonly string[], version: bigint): Sql {
    const undeleted = source.hasTombstones ? sql`NOT _deleted` : sql`TRUE`;
    return this.#select(source, source.columns, undeleted, objectIds, version);
  }

  #select(
    source: Source,
    columns: Sql,
    condition: Sql,
    objectIds: readonly string[],
    version: bigint,
  ): Sql {
    const conditions = [condition, among(objectIds)];
    if (source.lastXactId === null || source.lastXactId > version)
      conditions.push(sql`_xact_id <= ${version}`);
    if (source.hasSuperseded)
      conditions.push(sql`(_superseded_by IS NULL OR _superseded_by > ${version})`);
    return sql`
      SELECT ${columns} FROM ${source.from} b ${this.#withoutSuperseded(source.number, version)}
      WHERE ${join(conditions, ' AND ')}`;
  }

  // Nothing superseded when the snapshot was taken means: nothing with a transaction id that it can see.
  #withoutSuperseded(source: number, version: bigint): Sql {
    if (!this.#state.superseded.has(source)) return sql``;
    return sql`
      ANTI JOIN (
        SELECT "row" AS _row FROM supersession
        WHERE source = ${BigInt(source)} AND by_xact_id <= ${version}
      ) ${identifier('superseded')} USING (_row)`;
  }
}

function among(objectIds: readonly string[]): Sql {
  if (objectIds.length === 0) return sql`FALSE`;
  return sql`object_id IN (${join(objectIds.map((id) => sql`${id}`))})`;
}
