// Takes a snapshot of the committed state.
import type { Reclamation } from '../../file/reclamation.js';
import type { ReaderFeed } from './reader-feed.js';
import { Snapshot, type SnapshotDeps } from './snapshot.js';

/** The parts of a store that its snapshots share. */
export interface SharedDeps extends Pick<
  SnapshotDeps,
  'queues' | 'files' | 'checked' | 'log' | 'lookup' | 'chunks' | 'lastWrites'
> {
  readonly feed: ReaderFeed;
  readonly reclamation: Reclamation;
}

/** @param version the last visible transaction id; null for the latest */
export async function takeSnapshot(
  { feed, reclamation, ...shared }: SharedDeps,
  version: bigint | null,
  client: string,
): Promise<Snapshot> {
  // Pinned before the state is read, so that no file that the state names is removed.
  const unpin = reclamation.pin();
  try {
    const state = await feed.current();
    return new Snapshot({ ...shared, ...state, client, unpin }, version ?? undefined);
  } catch (error) {
    unpin();
    throw error;
  }
}
