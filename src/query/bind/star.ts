// What `select: *` stands for: the fields that a fetch of the sources shows, and the key that sorts as pages do.
import type { EventSource, QuerySource } from '../syntax/ast.js';

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

/** In the order of the interface's table of fetched events. */
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

export function starFields(sources: readonly QuerySource[]): readonly string[] {
  const shown = new Set(sources.flatMap(({ kind }) => fieldsOfKind[kind as EventSource] ?? []));
  return order.filter((name) => shown.has(name));
}
