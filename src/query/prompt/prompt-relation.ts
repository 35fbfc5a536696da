// Versions of prompts as rows with the columns of events, which queries read as they read events.
import { identifier, join, sql } from '../../duckdb/sql.js';
import { eventColumns } from '../../schema/event-columns.js';
import type { EventArm, EventRelation } from '../../schema/event-relation.js';
import { nullOf } from '../value/value.js';

export interface PromptVersion {
  readonly id: string;
  readonly xactId: bigint;
  /** Microseconds since 1970. */
  readonly created: bigint;
  /** JSON text of the prompt. */
  readonly body: string;
  /** What the write did that made it. */
  readonly action: 'upsert' | 'merge';
}

const types = {
  bigint: nullOf('number'),
  integer: nullOf('number'),
  string: nullOf('string'),
  strings: nullOf('elements'),
  boolean: nullOf('boolean'),
  timestamp: nullOf('timestamp'),
  json: nullOf('string'),
} as const;

const values = {
  _xact_id: sql`CAST(prompt.xact_id AS BIGINT)`,
  _position: sql`0`,
  _deleted: sql`false`,
  // Its numbers and the order of its keys are shown as they were written.
  _lossless: sql`true`,
  object_kind: sql`'prompt'`,
  object_id: sql`prompt.id`,
  id: sql`prompt.id`,
  created: sql`make_timestamp(CAST(prompt.created AS BIGINT))`,
  span_id: sql`prompt.id`,
  root_span_id: sql`prompt.id`,
  is_root: sql`true`,
  input: sql`prompt.body`,
  output: sql`coalesce(nullif(CAST(json_extract(prompt.body, '$.function_data') AS VARCHAR), 'null'), '{"type":"prompt"}')`,
  origin: sql`'{"action":"' || prompt.action || '"}'`,
};

/** One arm, or none for no prompts. */
export function promptRelation(versions: readonly PromptVersion[]): EventRelation {
  return { arms: versions.length === 0 ? [] : [arm(versions)], identity: null };
}

function arm(versions: readonly PromptVersion[]): EventArm {
  const lists = {
    id: versions.map(({ id }) => id),
    xact_id: versions.map(({ xactId }) => String(xactId)),
    created: versions.map(({ created }) => String(created)),
    body: versions.map(({ body }) => body),
    action: versions.map(({ action }) => action),
  };
  const prompts = join(
    Object.entries(lists).map(
      ([name, list]) => sql`unnest(${list}::VARCHAR[]) AS ${identifier(name)}`,
    ),
  );
  const columns = Object.entries(eventColumns).map(([name, type]) => {
    const value = Object.hasOwn(values, name) ? values[name as keyof typeof values] : types[type];
    return sql`${value} AS ${identifier(name)}`;
  });
  return {
    name: 'prompts',
    rows: sql`(SELECT ${join(columns)} FROM (SELECT ${prompts}) prompt)`,
    hasLossless: true,
    paths: null,
  };
}
