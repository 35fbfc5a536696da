// Versions of prompts as a relation with the columns of events: the JSON of a prompt is in `input`, its audit data in `origin`, and
// its function data in `output`.
import { sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import type { FieldPath } from '../bound/fields.js';
import { listedRows } from './listed-rows.js';

const columns: ReadonlySet<string> = new Set(['id', '_xact_id', 'created', '_pagination_key']);

const others: Readonly<Record<string, FieldPath>> = {
  audit_data: ['origin'],
  function_data: ['output'],
};

/** In the order of `*`. */
export const promptFields: readonly string[] = [
  'id',
  '_xact_id',
  'project_id',
  'log_id',
  'org_id',
  'name',
  'slug',
  'description',
  'created',
  'prompt_data',
  'tags',
  'metadata',
  'function_type',
  'function_data',
  'audit_data',
  '_pagination_key',
];

/** The fields that `search` looks into. */
export const promptTexts: readonly string[] = [
  'name',
  'slug',
  'description',
  'prompt_data',
  'tags',
  'metadata',
  'function_data',
];

export function promptPath(name: string): FieldPath | null {
  if (columns.has(name)) return [name];
  if (Object.hasOwn(others, name)) return others[name] ?? null;
  return promptFields.includes(name) ? ['input', name] : null;
}

export interface PromptVersion {
  readonly id: string;
  readonly xactId: bigint;
  /** Microseconds since 1970. */
  readonly created: bigint;
  /** JSON text of the prompt. */
  readonly body: string;
  /** The kind of the write that made the version. */
  readonly action: 'upsert' | 'merge';
}

const values = {
  _xact_id: sql`CAST(listed.xact_id AS BIGINT)`,
  object_kind: sql`'prompt'`,
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
