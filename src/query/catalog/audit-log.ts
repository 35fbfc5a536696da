// The audit log as a relation with the columns of events: the JSON of an entry is in `input`, and its number, with as many digits
// as a transaction id, in `_xact_id`.
import { sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { FieldPath } from '../bound/fields.js';
import { listedRows } from './listed-rows.js';

const columns: ReadonlySet<string> = new Set(['id', 'created', '_pagination_key']);

/** In the order of `*`. */
export const auditFields: readonly string[] = [
  'id',
  'org_id',
  'created',
  'user_id',
  'key_id',
  'request_id',
  'action',
  'object_type',
  'object_id',
  'object_name',
  '_pagination_key',
];

/** The fields that `search` looks into. */
export const auditTexts: readonly string[] = ['action', 'object_type', 'object_name'];

export function auditPath(name: string): FieldPath | null {
  if (columns.has(name)) return [name];
  return auditFields.includes(name) ? ['input', name] : null;
}

export interface AuditRow {
  readonly id: string;
  /** The number of the entry; entries are numbered in their order. */
  readonly place: bigint;
  /** Microseconds since 1970. */
  readonly created: bigint;
  /** JSON text of the entry. */
  readonly body: string;
}

const values = {
  _xact_id: sql`1000000000000000000 + CAST(listed.place AS BIGINT)`,
  object_kind: sql`'audit_log'`,
};

export const auditRelation = (rows: readonly AuditRow[]): EventRelation =>
  listedRows(
    'audit log',
    {
      id: rows.map(({ id }) => id),
      place: rows.map(({ place }) => String(place)),
      created: rows.map(({ created }) => String(created)),
      body: rows.map(({ body }) => body),
    },
    { values, hasLossless: false },
  );
