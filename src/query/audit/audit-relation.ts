// Entries of the audit log as rows with the columns of events. The place of an entry in the log, with as many digits as
// transaction ids have, stands for its transaction.
import { sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { listedRows } from '../listed-rows.js';

export interface AuditRow {
  readonly id: string;
  /** In the order of the entries. */
  readonly place: bigint;
  /** Microseconds since 1970. */
  readonly created: bigint;
  /** JSON text of the entry. */
  readonly body: string;
}

const values = {
  _xact_id: sql`1000000000000000000 + CAST(listed.place AS BIGINT)`,
  _position: sql`0`,
  _deleted: sql`false`,
  _lossless: sql`false`,
  object_kind: sql`'audit_log'`,
  object_id: sql`listed.id`,
  id: sql`listed.id`,
  created: sql`make_timestamp(CAST(listed.created AS BIGINT))`,
  span_id: sql`listed.id`,
  root_span_id: sql`listed.id`,
  is_root: sql`true`,
  input: sql`listed.body`,
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
