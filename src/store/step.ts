// Named moments of durable work, for whoever wants to look at the files then or to end the process.

export type Step =
  'segment-written' | 'segment-placed' | 'published' | 'compaction-middle' | 'commit-middle';

export type Reached = (step: Step) => void | Promise<void>;
