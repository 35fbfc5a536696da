// Takes a snapshot of what is committed.
import type { Reclamation } from '../file/reclamation.js';
import type { ReaderFeed } from './reader-feed.js';
import { Snapshot, type SnapshotParts } from './snapshot.js';

/** The parts of a store that snapshots share. */
export interface SharedParts extends Pick<
  SnapshotParts,
  'lanes' | 'files' | 'checked' | 'lookup' | 'slices' | 'changes'
> {
  readonly feed: ReaderFeed;
  readonly reclamation: Reclamation;
}

/** @param version null for the latest */
export async function takeSnapshot(
  { feed, reclamation, lanes, files, checked, lookup, slices, changes }: SharedParts,
  version: bigint | null,
  client: string,
): Promise<Snapshot> {
  // Before the state is known, so that everything that it names stays.
  const unpin = reclamation.pin();
  try {
    const state = await feed.current();
    const parts = { ...state, lanes, files, checked, lookup, slices, changes, client, unpin };
    return new Snapshot(parts, version ?? undefined);
  } catch (error) {
    unpin();
    throw error;
  }
}
