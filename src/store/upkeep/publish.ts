// The one way in which the set of segments changes: one durable transaction that exchanges sources of rows.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import { supersessionChunks, type Supersession } from '../event-table.js';
import { dropSegment, insertSegment } from './manifest.js';
import type { Segment } from '../segment/segment.js';
import type { SegmentOutput } from './segment-outputs.js';
import type { StoreChange, StoreState } from '../store-state.js';

export interface Publication {
  /** Generations whose rows are in the outputs. */
  readonly flushed: readonly number[];
  /** Segments whose rows are in the outputs. */
  readonly replaced: readonly Segment[];
  readonly outputs: readonly SegmentOutput[];
  /** The outputs know what was superseded up to this transaction. */
  readonly upTo: bigint;
}

const removedSources = ({ flushed, replaced }: Publication): readonly number[] => [
  ...flushed,
  ...replaced.map(({ source }) => source),
];

/** Null when a source that is to go is gone already. */
export async function publish(
  writer: Writer,
  state: StoreState,
  publication: Publication,
): Promise<StoreChange | null> {
  if (!isCurrent(state, publication)) return null;
  let carried: readonly Supersession[] = [];
  await writer.transaction(
    async (connection) => {
      carried = await carriedOver(connection, publication);
      await store(connection, publication, carried);
    },
    (connection) => isStored(connection, publication),
  );
  return {
    state: stateAfter(state, publication, carried),
    rowCount: carried.length,
    copyTo: (connection) => append(connection, carried),
  };
}

function isCurrent(state: StoreState, { flushed, replaced }: Publication): boolean {
  const sealed = new Set(state.sealed.map(({ source }) => source));
  const segments = new Set(state.segments.map(({ source }) => source));
  return (
    flushed.every((source) => sealed.has(source)) &&
    replaced.every(({ source }) => segments.has(source))
  );
}

/** What superseded the rows while they were written to their new place. */
async function carriedOver(
  connection: WriteConnection,
  publication: Publication,
): Promise<readonly Supersession[]> {
  const sources = removedSources(publication).map(String);
  const rows = await connection.read(sql`
    SELECT source, "row", by_xact_id FROM supersession
    WHERE by_xact_id > ${publication.upTo} AND source IN (SELECT unnest(${sources}::INTEGER[]))`);
  return rows.map((found) =>
    moved(publication.outputs, {
      source: found['source'] as number,
      row: found['row'] as number,
      byXactId: found['by_xact_id'] as bigint,
    }),
  );
}

function moved(outputs: readonly SegmentOutput[], old: Supersession): Supersession {
  for (const output of outputs) {
    const row = output.rowOf(old.source, old.row);
    if (row !== undefined) return { source: output.segment.source, row, byXactId: old.byXactId };
  }
  throw new Error(`row ${old.row} of source ${old.source} is in none of the new segments`);
}

async function append(
  connection: Pick<WriteConnection, 'append'>,
  supersessions: readonly Supersession[],
): Promise<void> {
  if (supersessions.length > 0)
    await connection.append('supersession', supersessionChunks(supersessions));
}

async function store(
  connection: WriteConnection,
  { flushed, replaced, outputs }: Publication,
  carried: readonly Supersession[],
): Promise<void> {
  for (const source of flushed)
    await connection.run(sql`DELETE FROM buffer_generation WHERE source = ${BigInt(source)}`);
  for (const segment of replaced) await dropSegment(connection, segment);
  for (const { segment } of outputs) await insertSegment(connection, segment);
  await append(connection, carried);
}

async function isStored(connection: WriteConnection, publication: Publication): Promise<boolean> {
  const [first] = removedSources(publication);
  const rows = await connection.read(sql`
    SELECT 1 FROM buffer_generation WHERE source = ${BigInt(first ?? 0)}
    UNION ALL SELECT 1 FROM segment WHERE source = ${BigInt(first ?? 0)}`);
  return rows.length === 0;
}

function stateAfter(
  state: StoreState,
  publication: Publication,
  carried: readonly Supersession[],
): StoreState {
  const removed = new Set(removedSources(publication));
  const remains = ({ source }: { readonly source: number }) => !removed.has(source);
  const superseded = new Map(state.superseded);
  for (const source of removed) superseded.delete(source);
  for (const { source } of carried) superseded.set(source, (superseded.get(source) ?? 0) + 1);
  return {
    ...state,
    change: state.change + 1,
    publication: state.publication + 1,
    sealed: state.sealed.filter(remains),
    segments: [
      ...state.segments.filter(remains),
      ...publication.outputs.map(({ segment }) => segment),
    ].sort((a, b) => (a.firstXactId < b.firstXactId ? -1 : 1)),
    superseded,
  };
}
