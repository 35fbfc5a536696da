// Named moments of durable work, for whoever wants to look at the files then or to end the process.

export type Step =
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

export type Reached = (step: Step) => void | Promise<void>;
