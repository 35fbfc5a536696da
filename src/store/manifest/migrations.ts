// The steps that create the tables of the store, from an empty database to the current format. They are literal SQL: a released
// step is never edited and depends on no other code, so that directories of all versions end with the same tables.
import { migrate, type Step } from '../../duckdb/migrate.js';
import { sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';

export const storeSteps: readonly Step[] = [
  [
    // The generations of buffered rows; the last takes new rows.
    sql`CREATE TABLE buffer_generation (source INTEGER PRIMARY KEY, after_xact_id BIGINT NOT NULL)`,
    sql`CREATE TABLE supersession (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`,
    // `objects` and `paths` are JSON; `checksums` is JSON of the size and the CRC-32 of each file of the segment.
    sql`CREATE TABLE segment (
      source INTEGER, project_id VARCHAR, first_xact_id BIGINT, last_xact_id BIGINT, "rows" BIGINT,
      bytes BIGINT, has_lossless BOOLEAN, objects VARCHAR, paths VARCHAR, format INTEGER,
      has_narrow BOOLEAN, checksums VARCHAR NOT NULL)`,
    // Segments that were published and are replaced: their files are removed when nothing reads them any more, and the record
    // after the files. No other file that was published is ever removed.
    sql`CREATE TABLE dropped_segment (source INTEGER, project_id VARCHAR)`,
  ],
  // At most one row: versions before this one may lack rows that have left the history.
  [sql`CREATE TABLE history (from_xact_id BIGINT NOT NULL)`],
  [
    // Whether all files of the segment are in the bucket; NULL if not, or if that has to be verified.
    sql`ALTER TABLE segment ADD COLUMN uploaded BOOLEAN`,
    // At most one row: who the store is to a bucket. `instance_id` is that of the last start with a bucket.
    sql`CREATE TABLE bucket_owner (store_id VARCHAR NOT NULL, instance_id VARCHAR)`,
  ],
  // The Iceberg table of each project; both texts are JSON.
  [
    sql`CREATE TABLE iceberg_table (
      project_id VARCHAR NOT NULL, metadata VARCHAR NOT NULL, files VARCHAR NOT NULL)`,
  ],
];

/**
 * Creates missing tables.
 * @throws Error for a data directory of a newer release
 */
export const prepareTables = (writer: Writer): Promise<void> =>
  migrate(writer, 'store', storeSteps);
