// The fields that a fetch returns, in the order of its answer. `*` selects the same, and a few more.
import type { EventObjectKind } from '../../schema/event-row.js';
import { fetchedEvents } from '../../schema/event.js';

/** The fields of events that `*` can select, in their order. */
export const orderedFields: readonly string[] = [
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

const isFetched = (kind: EventObjectKind, name: string): boolean =>
  Object.hasOwn(fetchedEvents[kind].properties, name);

/** The fields of fetched events of a kind, in the order of the answer. */
export const fetchedFields = (kind: EventObjectKind): readonly string[] =>
  orderedFields.filter((name) => isFetched(kind, name));

const always = new Set(['org_id', '_pagination_key']);

/** The fields that `*` selects from events of a kind. */
export const starFieldsOf = (kind: EventObjectKind): readonly string[] =>
  orderedFields.filter((name) => always.has(name) || isFetched(kind, name));
