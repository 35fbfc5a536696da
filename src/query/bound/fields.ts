// The top-level fields of events that queries can name, and how each is stored.
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import {
  eventColumns,
  jsonColumns,
  scalarColumns,
  type JsonColumn,
} from '../../schema/event-columns.js';
import type { Step } from '../syntax/ast.js';

/**
 * The storage type of a field. `json` is the text of any JSON value; `strings` is a list; `transaction` is an integer, in queries a
 * string of 19 digits; `pageKey` is computed from two columns.
 */
export type FieldType =
  'string' | 'timestamp' | 'boolean' | 'strings' | 'json' | 'integer' | 'transaction' | 'pageKey';

/** A field, and the steps below it. */
export type FieldPath = readonly [string, ...Step[]];

export interface Field {
  readonly type: FieldType;
  /** SQL over the columns of a branch. */
  readonly column: Sql;
  /** For the type `json`: the column whose paths may have leaf columns. */
  readonly json?: JsonColumn;
  /** Whether the column comes from the feedback of the relation instead of the row. */
  readonly isFeedback?: true;
}

const jsonFields = Object.fromEntries(
  jsonColumns.map((name): [string, Field] => [
    name,
    { type: 'json', column: identifier(name), json: name },
  ]),
);

const scalarFields = Object.fromEntries(
  scalarColumns.map((name): [string, Field] => [
    name,
    { type: eventColumns[name], column: identifier(name) },
  ]),
);

/** The events of a dataset without a project are stored under the dataset's own id. */
export const projectId = sql`CASE WHEN object_kind = 'dataset' THEN nullif(project_id, object_id) ELSE project_id END`;

export const fields: Readonly<Record<string, Field>> = {
  ...jsonFields,
  ...scalarFields,
  id: { type: 'string', column: sql`id` },
  _xact_id: { type: 'transaction', column: sql`_xact_id` },
  _pagination_key: { type: 'pageKey', column: sql`_xact_id` },
  created: { type: 'timestamp', column: sql`created` },
  org_id: { type: 'string', column: sql`org_id` },
  project_id: { type: 'string', column: projectId },
  experiment_id: {
    type: 'string',
    column: sql`CASE WHEN object_kind = 'experiment' THEN object_id END`,
  },
  dataset_id: { type: 'string', column: sql`CASE WHEN object_kind = 'dataset' THEN object_id END` },
  log_id: { type: 'string', column: sql`CASE WHEN object_kind = 'project_logs' THEN 'g' END` },
  span_id: { type: 'string', column: sql`span_id` },
  span_parents: { type: 'strings', column: sql`span_parents` },
  root_span_id: { type: 'string', column: sql`root_span_id` },
  is_root: { type: 'boolean', column: sql`is_root` },
  _object_delete: { type: 'boolean', column: sql`_deleted` },
  comments: { type: 'json', column: sql`comments`, isFeedback: true },
  audit: { type: 'json', column: sql`audit`, isFeedback: true },
};

/** Fields for the default order of rows, and to identify and match rows. */
export const orderFields = {
  transaction: { type: 'integer', column: sql`_xact_id` },
  trace: { type: 'string', column: sql`root_span_id` },
  object: { type: 'string', column: sql`object_id` },
  id: { type: 'string', column: sql`id` },
  position: { type: 'integer', column: sql`_position` },
  lossless: { type: 'boolean', column: sql`_lossless` },
  inputHash: { type: 'string', column: sql`_input_hash` },
} as const satisfies Record<string, Field>;

export const fieldNames: readonly string[] = Object.keys(fields);

export const fieldOf = (name: string): Field | null =>
  Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;
