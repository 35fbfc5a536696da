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
  // 'generated', or 'configured' when the environment named it; null where an older release did not say
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
  [
    // organisations, users, memberships and keys become objects; when they were created is not known
    sql`INSERT INTO catalog_object (id, kind, org_id, name, created, deleted, public, body)
      SELECT id, 'organization', id, name, row_number() OVER (ORDER BY rowid), false, false,
        json_object('id', id, 'name', name, 'api_url', NULL, 'is_universal_api', NULL, 'proxy_url', NULL,
          'realtime_url', NULL, 'created', NULL)
      FROM organisation`,
    sql`INSERT INTO catalog_object (id, kind, org_id, name, created, deleted, public, body)
      SELECT id, 'user', org_id, id, 1000000 + row_number() OVER (ORDER BY rowid), false, false,
        json_object('id', id, 'given_name', NULL, 'family_name', NULL, 'email', NULL, 'avatar_url', NULL,
          'created', NULL, 'is_service_account', false)
      FROM account`,
    sql`INSERT INTO catalog_object (id, kind, org_id, name, created, deleted, public, body)
      SELECT member, 'org_member', org_id, id, 2000000 + place, false, false,
        json_object('id', member, 'user_id', id)
      FROM (SELECT uuid()::VARCHAR AS member, id, org_id, row_number() OVER (ORDER BY rowid) AS place
        FROM account)`,
    sql`INSERT INTO catalog_object (id, kind, org_id, name, created, deleted, public, body)
      SELECT api_key.id, 'api_key', org_id, coalesce(origin, 'configured'),
        3000000 + row_number() OVER (ORDER BY api_key.rowid), false, false,
        json_object('id', api_key.id, 'created', NULL, 'name', coalesce(origin, 'configured'),
          'preview_name', '***', 'user_id', user_id, 'user_email', NULL, 'user_given_name', NULL,
          'user_family_name', NULL, 'org_id', NULL, 'expires', NULL)
      FROM api_key JOIN account ON account.id = api_key.user_id`,
    // of keys and tokens; last_used: milliseconds since 1970
    sql`CREATE TABLE key_hash (
      hash VARCHAR PRIMARY KEY,
      id VARCHAR NOT NULL,
      origin VARCHAR,
      last_used BIGINT
    )`,
    sql`INSERT INTO key_hash SELECT hash, id, origin, NULL FROM api_key`,
    // what was configured when the server last started
    sql`CREATE TABLE setting (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)`,
    sql`INSERT INTO setting SELECT 'organisation', name FROM organisation ORDER BY rowid LIMIT 1`,
    sql`DROP TABLE api_key`,
    sql`DROP TABLE account`,
    sql`DROP TABLE organisation`,
  ],
  [
    // place: the order of the entries; created: microseconds since 1970
    sql`CREATE TABLE audit_entry (
      place BIGINT PRIMARY KEY,
      id VARCHAR NOT NULL,
      org_id VARCHAR NOT NULL,
      created BIGINT NOT NULL,
      user_id VARCHAR,
      key_id VARCHAR,
      request_id VARCHAR,
      action VARCHAR NOT NULL,
      object_type VARCHAR NOT NULL,
      object_id VARCHAR NOT NULL,
      object_name VARCHAR NOT NULL
    )`,
  ],
  [
    // who announced it; null where an older release did not say
    sql`ALTER TABLE attachment ADD COLUMN user_id VARCHAR`,
    // objects whose events name an attachment: who may read one of them may fetch the attachment, if that user announced it
    sql`CREATE TABLE attachment_object (
      org_id VARCHAR,
      key VARCHAR,
      kind VARCHAR,
      object_id VARCHAR,
      announcer_id VARCHAR,
      PRIMARY KEY (org_id, key, kind, object_id, announcer_id)
    )`,
  ],
  [
    sql`ALTER TABLE object_version ADD COLUMN slug VARCHAR`,
    // Before this step no version changed the slug.
    sql`UPDATE object_version SET slug = catalog_object.slug FROM catalog_object
      WHERE catalog_object.id = object_version.id`,
  ],
  [
    // the last transaction before an existing experiment became public; for those of older releases, the one before this step
    sql`ALTER TABLE catalog_object ADD COLUMN published_at BIGINT`,
    sql`UPDATE catalog_object
      SET published_at = 3553 * 281474976710656 + floor(epoch(now()))::BIGINT * 65536 WHERE public`,
  ],
  [
    // the file in `objects/` with the JSON text; null if `body` is the text, otherwise `body` has only the fields that queries of the
    // catalog read
    sql`ALTER TABLE catalog_object ADD COLUMN file VARCHAR`,
    sql`ALTER TABLE object_version ADD COLUMN file VARCHAR`,
  ],
];
