// The columns of a stored row version, in storage order: the one list that the log,
// the segments and the query binder read. A new column is the last, and comes with a step in `store/migrations` and a version
// of the format of segments (`store/segment/segment-format`).

/**
 * - `json`: JSON text as it will be printed, NULL for absent and for JSON null
 * - `timestamp`: microseconds since 1970 in UTC
 */
export type ColumnType =
  'bigint' | 'integer' | 'string' | 'strings' | 'boolean' | 'timestamp' | 'json';

export const eventColumns = {
  /** Transaction id of the write that made this row version. */
  _xact_id: 'bigint',
  /** Index of the row in its write request: with `_xact_id` and `root_span_id` the order of pages. */
  _position: 'integer',
  /** A tombstone: the row version that deletes its id. */
  _deleted: 'boolean',
  /** Some JSON column holds a number that a double cannot, or keys that JavaScript would reorder. */
  _lossless: 'boolean',
  object_kind: 'string',
  object_id: 'string',
  project_id: 'string',
  org_id: 'string',
  id: 'string',
  created: 'timestamp',
  span_id: 'string',
  root_span_id: 'string',
  span_parents: 'strings',
  /** True when the row has no `span_parents`. */
  is_root: 'boolean',
  dataset_record_id: 'string',
  tags: 'strings',
  input: 'json',
  output: 'json',
  expected: 'json',
  error: 'json',
  scores: 'json',
  metadata: 'json',
  metrics: 'json',
  context: 'json',
  span_attributes: 'json',
  origin: 'json',
  classifications: 'json',
} as const satisfies Record<string, ColumnType>;

export type EventColumn = keyof typeof eventColumns;

type ColumnsOfType<T extends ColumnType> = {
  [C in EventColumn]: (typeof eventColumns)[C] extends T ? C : never;
}[EventColumn];

export type JsonColumn = ColumnsOfType<'json'>;

export const jsonColumns = Object.entries(eventColumns)
  .filter(([, type]) => type === 'json')
  .map(([column]) => column as JsonColumn);
