// A store whose segments are copied to the bucket of the tests, and what is there.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bucketAddress } from '../../src/bucket/address.js';
import { BucketClient } from '../../src/bucket/client.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import { bucketName, bucketService, noFault, type BucketService } from './bucket-service.js';
import { openStore, type TestStore } from './open-store.js';
import { temporaryDirectory } from './temporary-directory.js';

/** A failed attempt is repeated soon. */
export const soon = { retryMs: 20, retryMsMax: 100, copyMs: 60_000 };

export const openBucket = (url: string, prefix: string): Promise<BucketClient> =>
  BucketClient.open(bucketAddress(`s3://${bucketName}/${prefix}`)!, { endpoint: url });

export async function openBucketStore(
  directory: string,
  service: BucketService,
  prefix: string,
  options: Partial<EventStoreOptions> = {},
): Promise<TestStore> {
  const bucket = await openBucket(service.url, prefix);
  return openStore(directory, { flushRows: 1_000_000, bucket, bucketTimes: soon, ...options });
}

/** What the tests of a `describe` do with stores, one at a time. Each test has a directory and a prefix of its own. */
export interface BucketStores {
  prefix: string;
  /** The store that was opened last. */
  opened: TestStore;
  readonly service: () => BucketService;
  readonly at: (name?: string) => string;
  readonly open: (options?: Partial<EventStoreOptions>, name?: string) => Promise<TestStore>;
  readonly close: () => Promise<void>;
}

/** Call inside `describe`. */
export function bucketStores(
  title: string,
  defaults: Partial<EventStoreOptions> = {},
): BucketStores {
  const service = bucketService();
  const directory = temporaryDirectory();
  let prefixes = 0;
  let current: TestStore | null = null;
  const stores: BucketStores = {
    prefix: title,
    get opened() {
      return current!;
    },
    set opened(store) {
      current = store;
    },
    service,
    at: (name = 'data') => path.join(directory(), name),
    open: async (options = {}, name = 'data') =>
      (current = await openBucketStore(stores.at(name), service(), stores.prefix, {
        ...defaults,
        ...options,
      })),
    close: async () => {
      await current?.close();
      current = null;
    },
  };
  beforeEach(() => {
    stores.prefix = `${title}-${++prefixes}`;
    service().plant(noFault);
  });
  afterEach(stores.close);
  return stores;
}

/** The keys below the prefix. */
export async function keysIn(service: BucketService, prefix: string): Promise<readonly string[]> {
  const bucket = await openBucket(service.url, prefix);
  const keys: string[] = [];
  for await (const { key } of bucket.list('')) keys.push(key);
  bucket.close();
  return keys.sort();
}

/** But for the copies of the manifest. */
export const keysBesideCopies = async (service: BucketService, prefix: string) =>
  (await keysIn(service, prefix)).filter((key) => !key.startsWith('manifest/'));

/** The bytes of the objects below the prefix, by key. */
export async function objectsIn(service: BucketService, prefix: string) {
  const keys = await keysIn(service, prefix);
  const contents = await Promise.all(
    keys.map((key) => readFile(service.fileOf(`${prefix}/${key}`))),
  );
  return new Map(keys.map((key, at) => [key, contents[at]!]));
}

/** The files of the segments of a data directory, by the keys of their objects. */
export async function segmentFilesIn(directory: string) {
  const segments = path.join(directory, 'segments');
  const names = await readdir(segments, { recursive: true });
  const files = new Map<string, Buffer>();
  for (const name of names.sort())
    if (/^project_id=.*\/\d+\.\w+$/.test(name))
      files.set(
        `segments/${name.replace('project_id=', '')}`,
        await readFile(path.join(segments, name)),
      );
  return files;
}
