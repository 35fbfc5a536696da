// The fields of prompts. Their rows have the columns of events: the JSON of the prompt is in `input`, what the object says
// of its versions in `origin`, and what functions have beside it in `output`.
import type { FieldPath } from '../bind/names.js';

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

export function promptPath(name: string): FieldPath | null {
  if (columns.has(name)) return [name];
  if (Object.hasOwn(others, name)) return others[name] ?? null;
  return promptFields.includes(name) ? ['input', name] : null;
}
