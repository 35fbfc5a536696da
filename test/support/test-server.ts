// What the tests know of a server, whichever process it runs in.
import type { StoreTuning } from '../../src/server.js';
import type { SyncPoint } from '../../src/store/file/sync-point.js';
import { testKey, type Client } from './client.js';
import { evictedVariables } from './evicted-segments.js';

/** What can be said as JSON of `StoreTuning`, and a moment at which the process kills itself. */
export interface ServerTuning extends Pick<
  StoreTuning,
  'compaction' | 'segments' | 'chunks' | 'cacheBytes' | 'bucketTimes'
> {
  /** A file with the `DiskSpace` that the store sees, as JSON; the disk itself without it. */
  readonly diskFile?: string;
  /** The n-th time that the store reaches the step. */
  readonly diesAt?: { readonly step: SyncPoint; readonly times: number };
}

export interface TestServer extends Client {
  readonly url: string;
  readonly key: string;
  readonly dir: string;
  /** Everything that it logged so far. */
  readonly log: () => string;
  /** Waits until everything is in segments, and nothing is left to do in the background; for servers with `tuning`. */
  settle(): Promise<void>;
  /** Ends it in an orderly way, and waits for that. */
  stop(): Promise<unknown>;
}

/** The configuration variables of a server of the tests on a free port; an undefined one is removed. */
export const serverVariables = (
  dir: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): NodeJS.ProcessEnv => ({
  ...process.env,
  EVALSTORE_PORT: '0',
  EVALSTORE_DATA_DIR: dir,
  EVALSTORE_API_KEY: testKey,
  EVALSTORE_QUERY_MEMORY_MB: '512',
  // Many tests try wrong keys, all from one address.
  EVALSTORE_WRONG_KEYS: '0',
  ...evictedVariables(dir),
  ...environment,
});
