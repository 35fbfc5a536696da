// The fields of entries of the audit log. Their rows have the columns of events: the JSON of the entry is in `input`.
import type { FieldPath } from '../bind/names.js';

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

export function auditPath(name: string): FieldPath | null {
  if (columns.has(name)) return [name];
  return auditFields.includes(name) ? ['input', name] : null;
}
