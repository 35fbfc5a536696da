// The fields that `*` selects: those that a fetch of the sources returns, and the pagination key.
import type { EventSource, QuerySource, Shape } from '../syntax/ast.js';

/** The fields in the order of fetched events. */
const order = [
  'id',
  'dataset_record_id',
  '_xact_id',
  'created',
  'org_id',
  'project_id',
  'experiment_id',
  'dataset_id',
  'log_id',
  'input',
  'output',
  'expected',
  'error',
  'scores',
  'metadata',
  'tags',
  'metrics',
  'context',
  'span_id',
  'span_parents',
  'root_span_id',
  'is_root',
  'span_attributes',
  'origin',
  'classifications',
  '_pagination_key',
];

const ofSpans = ['output', 'scores', 'metrics', 'context', 'span_attributes'];

/** The fields that the events of a source do not have. */
const lacking: Readonly<Record<EventSource, ReadonlySet<string>>> = {
  experiment: new Set(['dataset_id', 'log_id']),
  project_logs: new Set(['dataset_record_id', 'experiment_id', 'dataset_id']),
  dataset: new Set(['dataset_record_id', 'experiment_id', 'log_id', ...ofSpans]),
  project: new Set(),
};

export function starFields(sources: readonly QuerySource[], shape: Shape): readonly string[] {
  const selected = order.filter((name) =>
    sources.some(({ kind }) => !lacking[kind as EventSource].has(name)),
  );
  return shape === 'versions' ? [...selected, '_object_delete'] : selected;
}
