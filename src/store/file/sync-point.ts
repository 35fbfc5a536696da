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
  | 'compaction-middle';

export type SyncPointHook = (step: SyncPoint) => void | Promise<void>;
