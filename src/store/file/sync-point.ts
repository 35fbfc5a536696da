// Named points in durable work. Tests stop there to inspect the files or to kill the process.

export type SyncPoint =
  | 'frame-replayed'
  | 'log-created'
  | 'log-written'
  | 'log-synced'
  | 'segment-written'
  | 'segment-placed'
  | 'published'
  | 'log-dropped'
  | 'log-removed'
  | 'compaction-middle'
  | BucketPoint;

/** What reaches a bucket. */
export type BucketPoint =
  | 'owner-known'
  | 'object-stored'
  | 'objects-stored'
  | 'segment-uploaded'
  | 'object-removed'
  | 'file-fetched'
  | 'file-brought'
  | 'eviction-begun'
  | 'file-evicted'
  | 'objects-removed'
  | 'manifest-copied'
  | 'latest-written';

export type SyncPointHook = (step: SyncPoint) => void | Promise<void>;
