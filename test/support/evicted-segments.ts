// With EVALSTORE_TEST_BUCKET, the address of a bucket service of the tests, all tests of this process read what is only in its bucket:
// before each read of a store and each request to a server, the files of segments leave the disk.
import { BucketClient } from '../../src/bucket/client.js';
import { bucketAddress } from '../../src/bucket/address.js';
import type { EventStoreOptions } from '../../src/store/event-store.js';
import { bucketName } from './bucket-service.js';

const service = process.env['EVALSTORE_TEST_BUCKET'];

export const areEvicted = service !== undefined;

/** Each directory has a prefix of its own. */
const addressFor = (directory: string): string =>
  `s3://${bucketName}/${directory.replaceAll(/\W+/g, '-')}`;

/** For a server. */
export const evictedVariables = (directory: string): Readonly<Record<string, string>> =>
  service === undefined
    ? {}
    : {
        EVALSTORE_BUCKET: addressFor(directory),
        EVALSTORE_BUCKET_ENDPOINT: service,
        EVALSTORE_TABLES: 'off',
      };

/** What no variable says: not even a byte of them stays. */
export const evictedTuning = areEvicted ? { cacheBytes: 1 } : {};

/** For a store without a server. */
export const evictedOptions = async (directory: string): Promise<Partial<EventStoreOptions>> =>
  service === undefined
    ? {}
    : {
        bucket: await BucketClient.open(bucketAddress(addressFor(directory))!, {
          endpoint: service,
        }),
        ...evictedTuning,
      };
