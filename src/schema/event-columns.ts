// The columns of a stored row version in storage order. The log, the segments and the query binder use this list. Add a new
// column at the end; src/event/README.md lists the other steps.

/**
 * - `json`: JSON text in its printed form, NULL for absent and for JSON null
 * - `timestamp`: microseconds since 1970 in UTC
 */
export type ColumnType =
  'bigint' | 'integer' | 'string' | 'strings' | 'boolean' | 'timestamp' | 'json';

/** The SQL type of each type of column. */
export const sqlTypes = {
  bigint: 'BIGINT',
  integer: 'INTEGER',
  string: 'VARCHAR',
  strings: 'VARCHAR[]',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'VARCHAR',
} as const satisfies Record<ColumnType, string>;

export const eventColumns = {
  /** The transaction id of this row version. */
  _xact_id: 'bigint',
  /** The index of the row in its request. With `_xact_id` and `root_span_id` it defines the page order. */
  _position: 'integer',
  /** Whether the row version is a tombstone. */
  _deleted: 'boolean',
  /** Whether a JSON column has, or had before a merge, a number that a double cannot hold, or keys that JavaScript would reorder. */
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
  /** Whether the row has no `span_parents`. */
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

/**
 * The scalars of an event that are stored as they were sent; of the two kinds `string` and `strings`. A merge replaces the value of the
 * row if the event has one, except that `event/merge` can unite tags.
 */
export const scalarColumns = [
  'dataset_record_id',
  'tags',
] as const satisfies readonly ColumnsOfType<'string' | 'strings'>[];

export type ScalarColumn = (typeof scalarColumns)[number];

export type JsonColumn = ColumnsOfType<'json'>;

export const jsonColumns = Object.entries(eventColumns)
  .filter(([, type]) => type === 'json')
  .map(([column]) => column as JsonColumn);
