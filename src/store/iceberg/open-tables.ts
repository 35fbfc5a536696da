// The tables of a store that has a bucket.
import { Tables, type TableSettings, type TablesDeps } from './tables.js';

interface Settings {
  readonly bucket: TablesDeps['bucket'] | null;
  readonly tables: TableSettings | null;
}

export const openTables = async (
  { bucket, tables }: Settings,
  parts: Omit<TablesDeps, keyof TableSettings | 'bucket'>,
): Promise<Tables | null> =>
  bucket === null || tables === null ? null : Tables.open({ ...parts, ...tables, bucket });
