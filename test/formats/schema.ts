// The tables of a data directory: what all directories have, whichever version made them.
import path from 'node:path';
import { Database } from '../../src/duckdb/database.js';
import { sql } from '../../src/duckdb/sql.js';

type Schema = Readonly<Record<string, readonly string[]>>;

const columns = (...lists: readonly string[]): readonly string[] => lists.join(', ').split(', ');

/** By table: each column with its type, in their order. */
export const presentSchema: Schema = {
  audit_entry: columns(
    'place BIGINT, id VARCHAR, org_id VARCHAR, created BIGINT, user_id VARCHAR, key_id VARCHAR',
    'request_id VARCHAR, action VARCHAR, object_type VARCHAR, object_id VARCHAR',
    'object_name VARCHAR',
  ),
  attachment: columns(
    'org_id VARCHAR, key VARCHAR, filename VARCHAR, content_type VARCHAR, begun BIGINT',
    'status VARCHAR, error VARCHAR, file VARCHAR, bytes BIGINT, user_id VARCHAR',
  ),
  attachment_object: columns(
    'org_id VARCHAR, key VARCHAR, kind VARCHAR, object_id VARCHAR, announcer_id VARCHAR',
  ),
  attachment_reference: columns('org_id VARCHAR, key VARCHAR'),
  buffer_generation: columns('source INTEGER, after_xact_id BIGINT'),
  catalog_object: columns(
    'id VARCHAR, kind VARCHAR, org_id VARCHAR, project_id VARCHAR, name VARCHAR',
    'created BIGINT, deleted BOOLEAN, public BOOLEAN, base_exp_id VARCHAR',
    'dataset_id VARCHAR, body VARCHAR, slug VARCHAR, xact_id BIGINT, published_at BIGINT',
    'file VARCHAR',
  ),
  cursor_secret: columns('secret VARCHAR'),
  dropped_segment: columns('source INTEGER, project_id VARCHAR'),
  key_hash: columns('hash VARCHAR, id VARCHAR, origin VARCHAR, last_used BIGINT'),
  migration: columns('component VARCHAR, step BIGINT, applied TIMESTAMP'),
  object_version: columns(
    'xact_id BIGINT, id VARCHAR, name VARCHAR, deleted BOOLEAN, body VARCHAR, slug VARCHAR',
    'file VARCHAR',
  ),
  segment: columns(
    'source INTEGER, project_id VARCHAR, first_xact_id BIGINT, last_xact_id BIGINT',
    'rows BIGINT, bytes BIGINT, has_lossless BOOLEAN, objects VARCHAR, paths VARCHAR',
    'format INTEGER, shard INTEGER, has_narrow BOOLEAN, checksums VARCHAR',
  ),
  setting: columns('name VARCHAR, value VARCHAR'),
  store_format: columns('version BIGINT'),
  supersession: columns('source INTEGER, row INTEGER, by_xact_id BIGINT'),
  transaction_count: columns('transactions BIGINT'),
};

/** Of a directory that no server uses. */
export async function schemaOf(directory: string): Promise<Schema> {
  const database = await Database.open(path.join(directory, 'meta.duckdb'), {
    memoryMb: 256,
    threads: 1,
    readOnly: true,
    allowedDirectories: [],
    temporaryDirectory: path.join(directory, 'tmp', 'schema'),
  });
  try {
    const found = await database.use((connection) =>
      connection.read(sql`
        SELECT table_name AS "table", list(column_name || ' ' || data_type ORDER BY column_index) AS columns
        FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
        GROUP BY ALL ORDER BY ALL`),
    );
    const schema: Record<string, readonly string[]> = {};
    for (const { table, columns: list } of found) schema[String(table)] = list as readonly string[];
    return schema;
  } finally {
    await database.close();
  }
}
