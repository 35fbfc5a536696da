// The two queues of reads, and their sizes.
import { ReadQueue } from './read-queue.js';
import type { ReadSize } from './reader.js';

export type ReadQueues = Readonly<Record<ReadSize, ReadQueue>>;

export interface ReadQueueOptions {
  readonly queryTimeoutMs: number;
  readonly queryMemoryMb: number;
  readonly queryConcurrency: number;
  readonly queryQueueLength: number;
}

/** Small reads are short, so more of them run concurrently, with a long queue. */
const smallConcurrency = 8;
const smallQueueLength = 10_000;

export function openReadQueues(options: ReadQueueOptions): ReadQueues {
  const budget = { timeoutMs: options.queryTimeoutMs, memoryMb: options.queryMemoryMb };
  return {
    heavy: new ReadQueue({
      ...budget,
      size: 'heavy',
      concurrency: options.queryConcurrency,
      waitingMax: options.queryQueueLength,
    }),
    small: new ReadQueue({
      ...budget,
      size: 'small',
      concurrency: smallConcurrency,
      waitingMax: smallQueueLength,
    }),
  };
}
