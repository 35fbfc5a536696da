// Publishes segments: one durable transaction replaces sources of rows by others, or removes rows. The set of segments
// changes in no other way.
import { sql } from '../../duckdb/sql.js';
import type { WriteConnection, Writer } from '../../duckdb/writer.js';
import { supersessionChunks, type Supersession } from '../row/event-table.js';
import { dropSegment, insertSegment } from '../manifest/segments.js';
import { byTransactions, type Segment } from '../segment/segment.js';
import type { SegmentOutput } from './segment-outputs.js';
import type { StoreChange, StoreState } from '../manifest/store-state.js';
import { maxBigint } from '../../schema/xact-id.js';
import type { Supersessions } from '../row/supersessions.js';

/** Rows that were removed: those of some events, or those that only versions before `upTo` need. */
export type RemovedKind =
  { readonly kind: 'events' } | { readonly kind: 'history'; readonly upTo: bigint };

/** A publication that removes all rows of segments. */
export const withoutSegments = (
  replaced: readonly Segment[],
  { lastXactId: upTo }: Pick<StoreState, 'lastXactId'>,
): Publication => ({ flushed: [], replaced, outputs: [], removed: { kind: 'events' }, upTo });

export interface Publication {
  /** Generations whose rows are in the outputs. */
  readonly flushed: readonly number[];
  /** Segments whose rows are in the outputs, but for those that are removed. */
  readonly replaced: readonly Segment[];
  readonly outputs: readonly SegmentOutput[];
  /** Which rows of `replaced` the outputs lack, if any. What supersedes them is dropped. */
  readonly removed?: RemovedKind | undefined;
  /** The outputs include the supersessions up to this transaction. */
  readonly upTo: bigint;
}

const replacedSources = ({ flushed, replaced }: Publication): readonly number[] => [
  ...flushed,
  ...replaced.map(({ source }) => source),
];

/** What the publication replaces, without the sources that the state still lists: all of it, if the publication is stored. */
export function obsoleteSources(state: StoreState, publication: Publication) {
  const listed = listedSources(state);
  return {
    flushed: publication.flushed.filter((source) => !listed.has(source)),
    segments: publication.replaced.filter(({ source }) => !listed.has(source)),
  };
}

/** Returns null if a source to be replaced is no longer in the manifest. */
export async function publish(
  writer: Writer,
  supersessions: Supersessions,
  state: StoreState,
  publication: Publication,
): Promise<StoreChange | null> {
  if (!isCurrent(state, publication)) return null;
  const replaced = replacedSources(publication);
  const later = supersessions.after(replaced, publication.upTo);
  const carried = later.flatMap((each) => moved(publication, each) ?? []);
  const kept = state.segments
    .map(({ source }) => source)
    .filter((source) => !replaced.includes(source));
  const logged = supersessions.unlisted(kept, lastFlushed(state, publication));
  await writer.transaction((connection) =>
    store(connection, publication, [...carried, ...logged], historyAfter(state, publication)),
  );
  return {
    state: stateAfter(state, publication, carried),
    supersede: (known) => {
      known.drop(replaced);
      known.add(carried, true);
      known.markListed(kept, lastFlushed(state, publication));
    },
  };
}

/** After the publication, no log has rows of transactions up to this one. */
function lastFlushed({ sealed, active }: StoreState, { flushed }: Publication): bigint {
  const oldest = [...sealed, active].find(({ source }) => !flushed.includes(source));
  return oldest?.afterXactId ?? 0n;
}

const listedSources = ({ sealed, segments }: StoreState): ReadonlySet<number> =>
  new Set([...sealed, ...segments].map(({ source }) => source));

function isCurrent(state: StoreState, publication: Publication): boolean {
  const listed = listedSources(state);
  return replacedSources(publication).every((source) => listed.has(source));
}

function moved({ outputs, removed }: Publication, old: Supersession): Supersession | null {
  for (const output of outputs) {
    const row = output.rowOf(old.source, old.row);
    if (row !== undefined) return { source: output.segment.source, row, byXactId: old.byXactId };
  }
  if (removed !== undefined) return null;
  throw new Error(`row ${old.row} of source ${old.source} is in none of the new segments`);
}

async function store(
  connection: WriteConnection,
  publication: Publication,
  supersessions: readonly Supersession[],
  historyFrom: bigint,
): Promise<void> {
  const { flushed, replaced, outputs } = publication;
  for (const source of flushed)
    await connection.run(sql`DELETE FROM buffer_generation WHERE source = ${BigInt(source)}`);
  for (const segment of replaced) await dropSegment(connection, segment);
  for (const { segment } of outputs) await insertSegment(connection, segment);
  const sources = replacedSources(publication).map(String);
  await connection.run(
    sql`DELETE FROM supersession WHERE source IN (SELECT unnest(${sources}::INTEGER[]))`,
  );
  await connection.append('supersession', supersessionChunks(supersessions));
  if (publication.removed?.kind === 'history') {
    await connection.run(sql`DELETE FROM history`);
    await connection.run(sql`INSERT INTO history VALUES (${historyFrom})`);
  }
}

function stateAfter(
  state: StoreState,
  publication: Publication,
  carried: readonly Supersession[],
): StoreState {
  const replaced = new Set(replacedSources(publication));
  const remains = ({ source }: { readonly source: number }) => !replaced.has(source);
  const superseded = new Map(state.superseded);
  for (const source of replaced) superseded.delete(source);
  for (const { source } of carried) superseded.set(source, (superseded.get(source) ?? 0) + 1);
  return {
    ...state,
    removals: removalsAfter(state, publication),
    historyFrom: historyAfter(state, publication),
    change: state.change + 1,
    publication: state.publication + 1,
    sealed: state.sealed.filter(remains),
    segments: [
      ...state.segments.filter(remains),
      ...publication.outputs.map(({ segment }) => segment),
    ].sort(byTransactions),
    superseded,
  };
}

function removalsAfter(
  { removals }: StoreState,
  { replaced, removed }: Publication,
): StoreState['removals'] {
  if (removed?.kind !== 'events') return removals;
  const after = new Map(removals);
  for (const objectId of new Set(replaced.flatMap(({ objects }) => [...objects.keys()])))
    after.set(objectId, (after.get(objectId) ?? 0) + 1);
  return after;
}

const historyAfter = ({ historyFrom }: StoreState, { removed }: Publication): bigint =>
  removed?.kind === 'history' ? maxBigint(historyFrom, removed.upTo) : historyFrom;
