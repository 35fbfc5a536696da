// `use_columnstore`: a snapshot for a query, after buffered rows were moved to the columns of segments.
import type { EventObject } from '../../schema/event-row.js';
import { sealedAbove, type Snapshot } from '../../store/event-store.js';
import type { Services } from '../context.js';

/** The header of the answer that has its `ColumnstoreWay`. */
export const columnstoreHeader = 'x-evalstore-columnstore';

/**
 * How the rows of the sources were read:
 * - `segments`: all rows were in segments
 * - `sealed`: buffered rows were first moved to segments
 * - `buffer`: buffered rows were read from the buffer
 */
export type ColumnstoreWay = 'segments' | 'sealed' | 'buffer';

export interface ColumnRead {
  readonly snapshot: Snapshot;
  readonly way: ColumnstoreWay;
}

/**
 * Takes a snapshot at `version`, or at the latest version if it is null; only then does it move buffered rows. The caller
 * releases the snapshot.
 * @throws the signal's reason if it is aborted
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
      return { snapshot, rows: await snapshot.bufferedRows(ids, { queue: 'small', signal }) };
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
