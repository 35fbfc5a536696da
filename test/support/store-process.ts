// Run as a process of its own: opens a store in the directory given, inserts two rows after the other without end, and prints
// the number of each pair once its insert is answered.
import { openBucket, soon } from './bucket-store.js';
import { openStore } from './open-store.js';

/** How the process runs and ends; without a step it goes on until it is killed from outside. */
export interface Run {
  readonly directory: string;
  /** Of the first pair. */
  readonly first?: number;
  readonly clients?: number;
  /** The process kills itself when the store comes to the step for that time. */
  readonly step?: string;
  readonly times?: number;
  /** Every few inserts make a segment, and segments are merged. */
  readonly flushes?: boolean;
  /** Segments are only in the bucket of the tests, except while they are read. */
  readonly bucket?: {
    readonly url: string;
    readonly prefix: string;
    readonly hasTables?: boolean;
  };
}

const {
  directory,
  first = 0,
  clients = 8,
  step,
  times = 1,
  flushes = false,
  bucket,
} = JSON.parse(process.argv[2] ?? '{}') as Run;
let left = times;

const opened = await openStore(directory, {
  ...(bucket && {
    bucket: await openBucket(bucket.url, bucket.prefix),
    bucketTimes: soon,
    cacheBytes: 1,
    tables: bucket.hasTables === true ? { isOn: true, isDeleted: () => false } : null,
  }),
  ...(flushes ? { flushRows: 10, compaction: { fanOut: 3 } } : {}),
  hooks: {
    reached: (reached: string) => {
      if (reached === step && --left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});
let next = first;

async function insertForever(): Promise<never> {
  for (;;) {
    const number = next++;
    const text = 'x'.repeat(1000);
    const counted = { id: 'last', _is_merge: true, input: { [number % 7]: number } };
    const pair = [{ id: `${number}`, input: { number, text } }, { id: `${number} second` }];
    const xactId = await opened.insert('e', ...pair, ...(flushes ? [counted] : []));
    process.stdout.write(`${number} ${xactId}\n`);
    // Inserts without a pause would keep the flushes busy.
    if (flushes && number % 10 === 0) await opened.store.flush();
  }
}

await Promise.all(Array.from({ length: clients }, insertForever)).catch((error: Error) => {
  process.stdout.write(`failed: ${error.message}\n`);
});
await opened.close().catch((error: Error) => process.stdout.write(`failed: ${error.message}\n`));
