// The catalog's tables. A step that was released is never edited: add another.
import { sql, type Sql } from '../duckdb/sql.js';

export const catalogSteps: readonly (readonly Sql[])[] = [
  [
    sql`CREATE TABLE organisation (id VARCHAR PRIMARY KEY, name VARCHAR NOT NULL)`,
    sql`CREATE TABLE account (id VARCHAR PRIMARY KEY, org_id VARCHAR NOT NULL)`,
    sql`CREATE TABLE api_key (
      hash VARCHAR PRIMARY KEY,
      id VARCHAR NOT NULL,
      user_id VARCHAR NOT NULL
    )`,
    // body is the JSON text that is answered; the other columns repeat what lists and access checks need
    sql`CREATE TABLE catalog_object (
      id VARCHAR PRIMARY KEY,
      kind VARCHAR NOT NULL,
      org_id VARCHAR NOT NULL,
      project_id VARCHAR,
      name VARCHAR NOT NULL,
      created BIGINT NOT NULL,
      deleted BOOLEAN NOT NULL,
      public BOOLEAN NOT NULL,
      base_exp_id VARCHAR,
      dataset_id VARCHAR,
      body VARCHAR NOT NULL
    )`,
  ],
  [
    sql`ALTER TABLE catalog_object ADD COLUMN slug VARCHAR`,
    sql`ALTER TABLE catalog_object ADD COLUMN xact_id BIGINT`,
    // every version of the objects of versioned kinds, the present one and the deletion included
    sql`CREATE TABLE object_version (
      xact_id BIGINT PRIMARY KEY,
      id VARCHAR NOT NULL,
      name VARCHAR NOT NULL,
      deleted BOOLEAN NOT NULL,
      body VARCHAR NOT NULL
    )`,
  ],
  [sql`CREATE TABLE cursor_secret (secret VARCHAR NOT NULL)`],
  // 'generated', or 'configured' when the environment named it; null where an older version did not say
  [sql`ALTER TABLE api_key ADD COLUMN origin VARCHAR`],
  [
    // begun: milliseconds since 1970; bytes: null until the content is on disk
    sql`CREATE TABLE attachment (
      org_id VARCHAR,
      key VARCHAR,
      filename VARCHAR NOT NULL,
      content_type VARCHAR NOT NULL,
      begun BIGINT NOT NULL,
      status VARCHAR NOT NULL,
      error VARCHAR,
      file VARCHAR NOT NULL,
      bytes BIGINT,
      PRIMARY KEY (org_id, key)
    )`,
    // keys that events named, whether they are uploaded or not
    sql`CREATE TABLE attachment_reference (
      org_id VARCHAR,
      key VARCHAR,
      PRIMARY KEY (org_id, key)
    )`,
  ],
];
