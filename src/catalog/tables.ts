// The catalog's tables. A step that was released is never edited: add another.
import type { Step } from '../duckdb/migrate.js';
import { sql } from '../duckdb/sql.js';

export const catalogSteps: readonly Step[] = [
  [
    // body: the JSON text that is answered, or, if it is in a file of `objects/`, the fields that queries of the catalog read; the
    // other columns repeat what lists and access checks need
    // created: microseconds since 1970; published_at: the last transaction before an existing experiment became public
    sql`CREATE TABLE catalog_object (
      id VARCHAR PRIMARY KEY,
      kind VARCHAR NOT NULL,
      org_id VARCHAR NOT NULL,
      project_id VARCHAR,
      name VARCHAR NOT NULL,
      slug VARCHAR,
      created BIGINT NOT NULL,
      deleted BOOLEAN NOT NULL,
      public BOOLEAN NOT NULL,
      published_at BIGINT,
      base_exp_id VARCHAR,
      dataset_id VARCHAR,
      xact_id BIGINT,
      body VARCHAR NOT NULL,
      file VARCHAR
    )`,
    // every version of the objects of versioned kinds, the present one and the deletion included
    sql`CREATE TABLE object_version (
      xact_id BIGINT PRIMARY KEY,
      id VARCHAR NOT NULL,
      name VARCHAR NOT NULL,
      slug VARCHAR,
      deleted BOOLEAN NOT NULL,
      body VARCHAR NOT NULL,
      file VARCHAR
    )`,
    sql`CREATE TABLE cursor_secret (secret VARCHAR NOT NULL)`,
    // of keys and tokens; origin: 'generated', or 'configured' when the environment named it; last_used: milliseconds since 1970
    sql`CREATE TABLE key_hash (
      hash VARCHAR PRIMARY KEY,
      id VARCHAR NOT NULL,
      origin VARCHAR NOT NULL,
      last_used BIGINT
    )`,
    // what was configured when the server last started
    sql`CREATE TABLE setting (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)`,
    // user_id: who announced it; begun: milliseconds since 1970; bytes: null until the content is on disk
    sql`CREATE TABLE attachment (
      org_id VARCHAR,
      key VARCHAR,
      user_id VARCHAR NOT NULL,
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
    // objects whose events name an attachment: who may read one of them may fetch the attachment, if that user announced it
    sql`CREATE TABLE attachment_object (
      org_id VARCHAR,
      key VARCHAR,
      kind VARCHAR,
      object_id VARCHAR,
      announcer_id VARCHAR,
      PRIMARY KEY (org_id, key, kind, object_id, announcer_id)
    )`,
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
    // the removals of events. object_id: the object whose events go, or the project; rows, bytes: an estimate until it is done;
    // started, finished: milliseconds since 1970; user_id, key_id, request_id: of the request, null for the server itself
    sql`CREATE TABLE job (
      id VARCHAR PRIMARY KEY,
      kind VARCHAR NOT NULL,
      project_id VARCHAR NOT NULL,
      object_id VARCHAR NOT NULL,
      state VARCHAR NOT NULL,
      row_count BIGINT NOT NULL,
      byte_count BIGINT NOT NULL,
      started BIGINT NOT NULL,
      finished BIGINT,
      error VARCHAR,
      user_id VARCHAR,
      key_id VARCHAR,
      request_id VARCHAR
    )`,
    // events that name an attachment, more than once if they were written again; nulls: unknown events of an earlier release
    sql`CREATE TABLE attachment_event (
      org_id VARCHAR NOT NULL,
      key VARCHAR NOT NULL,
      object_id VARCHAR,
      event_id VARCHAR
    )`,
    sql`INSERT INTO attachment_event SELECT org_id, key, NULL, NULL FROM attachment_reference`,
  ],
];
