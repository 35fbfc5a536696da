// The field names of a query's rows: those of events, of prompts, or of the audit log.
import type { QuerySource, Shape } from '../syntax/ast.js';
import { isAuditSource, isPromptSource } from '../syntax/ast.js';
import { auditFields, auditPath } from '../catalog/audit-log.js';
import { promptFields, promptPath } from '../catalog/prompts.js';
import { fieldNames, fieldOf, type FieldPath } from '../bound/fields.js';
import { starFields } from './star.js';

export interface RowFields {
  readonly names: readonly string[];
  /** The fields that `*` selects. */
  readonly star: readonly string[];
  /** The path of the field; null if no field has the name. */
  path(name: string): FieldPath | null;
  /** The path of a name that is neither a field nor an alias; null if it has none. */
  otherPath(name: string): FieldPath | null;
}

const spanName: FieldPath = ['span_attributes', 'name'];

const fieldsInOrder = (names: readonly string[], path: RowFields['path']): RowFields => ({
  names,
  star: names,
  path,
  otherPath: () => null,
});

export function fieldsOfSources(sources: readonly QuerySource[], shape: Shape): RowFields {
  if (sources.some(isPromptSource)) return fieldsInOrder(promptFields, promptPath);
  if (sources.some(isAuditSource)) return fieldsInOrder(auditFields, auditPath);
  return {
    names: fieldNames,
    star: starFields(sources, shape),
    path: (name) => (fieldOf(name) === null ? null : [name]),
    otherPath: (name) => (name === 'name' ? spanName : null),
  };
}
