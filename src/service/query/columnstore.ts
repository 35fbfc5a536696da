// `use_columnstore`: the snapshot of a query with as many rows as possible in the columns of segments.
import type { EventObject } from '../../schema/event-row.js';
import { sealedAbove, type Snapshot } from '../../store/event-store.js';
import type { Services } from '../context.js';

/** Which way the rows of the sources were read, as it is in the header of the answer. */
export const columnstoreHeader = 'x-evalstore-columnstore';

/**
 * - `segments`: all rows were in segments already
 * - `sealed`: buffered rows were moved to segments first
 * - `buffer`: there are buffered rows, which were read where they are
 */
export type ColumnstoreWay = 'segments' | 'sealed' | 'buffer';

export interface ColumnRead {
  readonly snapshot: Snapshot;
  readonly way: ColumnstoreWay;
}

/**
 * The events as of `version`, or as of now; only of the present are rows moved. The caller releases the snapshot.
 * @throws the signal's reason when it is aborted
 */
export async function columnSnapshot(
  { store }: Services,
  objects: readonly EventObject[],
  { version, client }: { readonly version: bigint | null; readonly client: string },
  signal: AbortSignal,
): Promise<ColumnRead> {
  const ids = objects.map(({ id }) => id);
  const counted = async (snapshot: Snapshot): Promise<{ snapshot: Snapshot; rows: number }> => {
    try {
      return { snapshot, rows: await snapshot.bufferedRows(ids, { lane: 'lookup', signal }) };
    } catch (error) {
      await snapshot.release();
      throw error;
    }
  };
  const before = await counted(await store.snapshot(version, client));
  if (before.rows === 0) return { snapshot: before.snapshot, way: 'segments' };
  if (version !== null || before.rows <= sealedAbove) return { ...before, way: 'buffer' };
  await before.snapshot.release();
  const isSealed = await store.sealForColumns(
    objects.map(({ projectId }) => projectId),
    signal,
  );
  const after = await counted(await store.snapshot(null, client));
  return { snapshot: after.snapshot, way: isSealed ? 'sealed' : 'buffer' };
}
