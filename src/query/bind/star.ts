// The fields that `*` selects: those that a fetch of the sources returns, and the pagination key.
import { orderedFields, starFieldsOf } from '../bound/fetched-fields.js';
import type { EventSource, QuerySource, Shape } from '../syntax/ast.js';

const fieldsOf = (kind: EventSource): readonly string[] =>
  kind === 'project' ? orderedFields : starFieldsOf(kind);

export function starFields(sources: readonly QuerySource[], shape: Shape): readonly string[] {
  const present = new Set(sources.flatMap(({ kind }) => fieldsOf(kind as EventSource)));
  const selected = orderedFields.filter((name) => present.has(name));
  return shape === 'versions' ? [...selected, '_object_delete'] : selected;
}
