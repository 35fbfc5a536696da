// The steps that create the tables of the store, from an empty database to the current format. They are literal SQL: a released
// step is never edited and depends on no other code, so that directories of all versions end with the same tables.
import { migrate, type Step } from '../../duckdb/migrate.js';
import { identifier, sql } from '../../duckdb/sql.js';
import type { Writer } from '../../duckdb/writer.js';

export const storeSteps: readonly Step[] = [
  [
    // Nothing reads it: formats change by steps.
    sql`CREATE TABLE store_format (version BIGINT)`,
    sql`INSERT INTO store_format VALUES (1)`,
    // The generations of buffered rows; the last takes new rows.
    sql`CREATE TABLE buffer_generation (source INTEGER PRIMARY KEY, after_xact_id BIGINT)`,
    sql`INSERT INTO buffer_generation VALUES (1, 1000080592252960768)`,
    sql`CREATE TABLE buffer_1 (
      _row INTEGER, _xact_id BIGINT, _position INTEGER, _deleted BOOLEAN, _lossless BOOLEAN,
      object_kind VARCHAR, object_id VARCHAR, project_id VARCHAR, org_id VARCHAR, id VARCHAR,
      created TIMESTAMP, span_id VARCHAR, root_span_id VARCHAR, span_parents VARCHAR[],
      is_root BOOLEAN, dataset_record_id VARCHAR, tags VARCHAR[], input VARCHAR, output VARCHAR,
      expected VARCHAR, error VARCHAR, scores VARCHAR, metadata VARCHAR, metrics VARCHAR,
      context VARCHAR, span_attributes VARCHAR, origin VARCHAR)`,
    sql`CREATE TABLE supersession (source INTEGER, "row" INTEGER, by_xact_id BIGINT)`,
  ],
  [
    sql`CREATE TABLE segment (
      source INTEGER, project_id VARCHAR, first_xact_id BIGINT, last_xact_id BIGINT, "rows" BIGINT,
      bytes BIGINT, has_lossless BOOLEAN, objects VARCHAR, paths VARCHAR,
      format INTEGER, shard INTEGER)`,
  ],
  // Segments that are listed before have one file of rows.
  [sql`CREATE OR REPLACE TABLE segment AS SELECT *, FALSE AS has_narrow FROM segment`],
  // Segments that were published and are replaced: their files are removed when nothing reads them any more, and the record
  // after the files. No other file that was published is ever removed.
  [sql`CREATE TABLE dropped_segment (source INTEGER, project_id VARCHAR)`],
  // JSON of the size and the CRC-32 of each file of the segment. Of segments that are listed before, the first verification records
  // it; that verification does not detect earlier damage.
  [sql`CREATE OR REPLACE TABLE segment AS SELECT *, NULL::VARCHAR AS checksums FROM segment`],
  // Segments that are listed before lack the column; their format, up to 3, says so.
  async (connection) => {
    const tables = await connection.read(sql`
      SELECT table_name AS name FROM duckdb_tables()
      WHERE regexp_matches(table_name, '^buffer_[0-9]+$') AND database_name = current_database()
      ORDER BY name`);
    return tables.map(
      ({ name }) =>
        sql`ALTER TABLE ${identifier(name as string)} ADD COLUMN classifications VARCHAR`,
    );
  },
  // Buffered rows are in files of the log from here on. `recovery/buffer-tables` moves those of the tables buffer_<source> there.
  [],
];

/**
 * Creates missing tables.
 * @throws Error for a data directory of a newer release
 */
export const prepareTables = (writer: Writer): Promise<void> =>
  migrate(writer, 'store', storeSteps);
