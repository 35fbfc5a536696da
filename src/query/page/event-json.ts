// The fields of fetched events as output columns, in the order of the answer.
import { identifier, join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import { assertNever } from '../../errors.js';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { projectId } from '../bound/fields.js';
import { textRows, type OutputColumn } from '../sql/output.js';
import { storedColumn, type StoredColumn } from './stored-values.js';

interface EventField extends OutputColumn {
  readonly value: Sql;
}

const string = (name: string, value: Sql): EventField => ({ name, type: 'string', value });

function fieldOf(name: EventColumn): EventField {
  const value = identifier(name);
  const type = eventColumns[name];
  switch (type) {
    case 'bigint':
      return string(name, sql`CAST(${value} AS VARCHAR)`);
    case 'strings':
      return { name, type: 'json', value: sql`CAST(to_json(${value}) AS VARCHAR)` };
    case 'integer':
      return { name, type: 'number', value };
    case 'boolean':
    case 'timestamp':
    case 'string':
    case 'json':
      return { name, type, value };
    default:
      return assertNever(type);
  }
}

const columns = (...names: readonly EventColumn[]): readonly EventField[] => names.map(fieldOf);

const identity = columns('id', '_xact_id', 'created');
const body = columns('input', 'output', 'expected', 'error', 'scores', 'metadata', 'tags');
const tracing = columns(
  ...(['metrics', 'context', 'span_id', 'span_parents', 'root_span_id'] as const),
  ...(['is_root', 'span_attributes', 'origin', 'classifications'] as const),
);

const fetchedFields: Readonly<Record<EventObjectKind, readonly EventField[]>> = {
  project_logs: [
    ...identity,
    ...columns('org_id', 'project_id'),
    string('log_id', sql`'g'`),
    ...body,
    ...tracing,
  ],
  experiment: [
    ...identity,
    ...columns('dataset_record_id', 'project_id'),
    string('experiment_id', sql`object_id`),
    ...body,
    ...tracing,
  ],
  dataset: [
    ...identity,
    string('project_id', projectId),
    string('dataset_id', sql`object_id`),
    ...columns('input', 'expected', 'error', 'metadata', 'tags'),
    ...columns('span_id', 'span_parents', 'root_span_id', 'is_root', 'origin', 'classifications'),
  ],
};

/** The output columns `c0`, `c1`, … of `eventList`. */
export const eventFields = (kind: EventObjectKind): readonly OutputColumn[] =>
  fetchedFields[kind].map(({ name, type }) => ({ name, type }));

/** The same columns, computed from stored rows. */
export const fetchedColumns = (kind: EventObjectKind): readonly StoredColumn[] =>
  fetchedFields[kind].flatMap(({ name }) => storedColumn(name, name) ?? []);

/** SELECT list of the fields as `c0`, `c1`, …. */
export const eventList = (kind: EventObjectKind): Sql =>
  join(fetchedFields[kind].map(({ value }, index) => sql`${value} AS ${numbered('c', index)}`));

/** SELECT of `row`, the JSON text of each event, in which absent fields are null. `events` selects `eventList`. */
export const eventTexts = (kind: EventObjectKind, events: Sql): Sql =>
  textRows(eventFields(kind), events);
