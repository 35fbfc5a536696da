// Named moments of durable work, for whoever wants to look at the files then or to end the process.

export type Step =
  | 'log-written'
  | 'log-synced'
  | 'segment-written'
  | 'segment-placed'
  | 'published'
  | 'compaction-middle';

export type Reached = (step: Step) => void | Promise<void>;
