// The tables of a store that has a bucket.
import { Tables, type TableSettings, type TablesDeps } from './tables.js';

interface Settings {
  readonly bucket: TablesDeps['bucket'] | null;
  readonly tables: TableSettings | null;
  readonly bucketTimes: { readonly tableMs: number };
}

export const openTables = async (
  { bucket, tables, bucketTimes: { tableMs: intervalMs } }: Settings,
  parts: Omit<TablesDeps, keyof TableSettings | 'bucket' | 'intervalMs'>,
): Promise<Tables | null> =>
  bucket === null || tables === null
    ? null
    : Tables.open({ ...parts, ...tables, bucket, intervalMs });
