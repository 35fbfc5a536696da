// Versions of prompts as rows with the columns of events, which queries read as they read events.
import { sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { listedRows } from '../listed-rows.js';

export interface PromptVersion {
  readonly id: string;
  readonly xactId: bigint;
  /** Microseconds since 1970. */
  readonly created: bigint;
  /** JSON text of the listed. */
  readonly body: string;
  /** What the write did that made it. */
  readonly action: 'upsert' | 'merge';
}

const values = {
  _xact_id: sql`CAST(listed.xact_id AS BIGINT)`,
  _position: sql`0`,
  _deleted: sql`false`,
  // Its numbers and the order of its keys are shown as they were written.
  _lossless: sql`true`,
  object_kind: sql`'prompt'`,
  object_id: sql`listed.id`,
  id: sql`listed.id`,
  created: sql`make_timestamp(CAST(listed.created AS BIGINT))`,
  span_id: sql`listed.id`,
  root_span_id: sql`listed.id`,
  is_root: sql`true`,
  input: sql`listed.body`,
  output: sql`coalesce(nullif(CAST(json_extract(listed.body, '$.function_data') AS VARCHAR), 'null'), '{"type":"prompt"}')`,
  origin: sql`'{"action":"' || listed.action || '"}'`,
};

export const promptRelation = (versions: readonly PromptVersion[]): EventRelation =>
  listedRows(
    'prompts',
    {
      id: versions.map(({ id }) => id),
      xact_id: versions.map(({ xactId }) => String(xactId)),
      created: versions.map(({ created }) => String(created)),
      body: versions.map(({ body }) => body),
      action: versions.map(({ action }) => action),
    },
    { values, hasLossless: true },
  );
