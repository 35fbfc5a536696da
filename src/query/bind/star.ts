// The fields that `*` selects: those that a fetch of the sources returns, and the pagination key.
import type { EventSource, QuerySource, Shape } from '../syntax/ast.js';

const everywhere = [
  'id',
  '_xact_id',
  'created',
  'org_id',
  'project_id',
  'input',
  'expected',
  'error',
  'metadata',
  'tags',
  'span_id',
  'span_parents',
  'root_span_id',
  'is_root',
  'origin',
  'classifications',
  '_pagination_key',
];

const ofSpans = ['output', 'scores', 'metrics', 'context', 'span_attributes'];

const fieldsOfKind: Readonly<Record<EventSource, readonly string[]>> = {
  experiment: [...everywhere, ...ofSpans, 'experiment_id', 'dataset_record_id'],
  project_logs: [...everywhere, ...ofSpans, 'log_id'],
  dataset: [...everywhere, 'dataset_id'],
  project: [
    ...everywhere,
    ...ofSpans,
    'experiment_id',
    'dataset_record_id',
    'log_id',
    'dataset_id',
  ],
};

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

export function starFields(sources: readonly QuerySource[], shape: Shape): readonly string[] {
  const selected = new Set(sources.flatMap(({ kind }) => fieldsOfKind[kind as EventSource] ?? []));
  const ofShape = shape === 'versions' ? ['_object_delete'] : [];
  return [...order.filter((name) => selected.has(name)), ...ofShape];
}
