// What the rows of a source call their parts: those of events, of prompts, and of the audit log.
import type { QuerySource, Step } from '../syntax/ast.js';
import { isAuditSource, isPromptSource } from '../syntax/ast.js';
import { auditFields, auditPath } from '../audit/audit-fields.js';
import { promptFields, promptPath } from '../prompt/prompt-fields.js';
import { fieldNames, fieldOf } from './fields.js';
import { starFields } from './star.js';

/** A field, and the steps below it. */
export type FieldPath = readonly [string, ...Step[]];

export interface RowFields {
  readonly names: readonly string[];
  /** What `*` stands for. */
  readonly star: readonly string[];
  /** Where the field is; null for a name that no field has. */
  path(name: string): FieldPath | null;
  /** What a name means that nothing else in the query is called by. */
  otherPath(name: string): FieldPath | null;
}

const spanName: FieldPath = ['span_attributes', 'name'];

const fieldsInOrder = (names: readonly string[], path: RowFields['path']): RowFields => ({
  names,
  star: names,
  path,
  otherPath: () => null,
});

export function fieldsOfSources(sources: readonly QuerySource[]): RowFields {
  if (sources.some(isPromptSource)) return fieldsInOrder(promptFields, promptPath);
  if (sources.some(isAuditSource)) return fieldsInOrder(auditFields, auditPath);
  return {
    names: fieldNames,
    star: starFields(sources),
    path: (name) => (fieldOf(name) === null ? null : [name]),
    otherPath: (name) => (name === 'name' ? spanName : null),
  };
}
