// The JSON text of fetched events, built by the engine from stored text.
import { identifier, join, sql, type Sql } from '../../duckdb/sql.js';
import { eventColumns, type EventColumn } from '../../schema/event-columns.js';
import { assertNever } from '../../errors.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { projectId } from '../bind/fields.js';
import { timestampText } from '../value/timestamp-text.js';

const text = (column: EventColumn): Sql => {
  const name = identifier(column);
  switch (eventColumns[column]) {
    case 'json':
      return name;
    case 'timestamp':
      return sql`'"' || ${timestampText(name)} || '"'`;
    case 'bigint':
      return sql`'"' || ${name} || '"'`;
    case 'boolean':
    case 'integer':
      return sql`CAST(${name} AS VARCHAR)`;
    case 'string':
    case 'strings':
      return sql`CAST(to_json(${name}) AS VARCHAR)`;
    default:
      return assertNever(eventColumns[column]);
  }
};

const columns = (...names: readonly EventColumn[]) =>
  Object.fromEntries(names.map((name) => [name, text(name)]));

const identity = { ...columns('id', '_xact_id', 'created') };
const body = columns('input', 'output', 'expected', 'error', 'scores', 'metadata', 'tags');
const tracing = columns(
  ...(['metrics', 'context', 'span_id', 'span_parents', 'root_span_id'] as const),
  ...(['is_root', 'span_attributes', 'origin', 'classifications'] as const),
);

/** Field name to the JSON text of its value, in the order in which they are printed. */
const fetchedFields = {
  project_logs: {
    ...identity,
    ...columns('org_id', 'project_id'),
    log_id: sql`'"g"'`,
    ...body,
    ...tracing,
  },
  experiment: {
    ...identity,
    ...columns('dataset_record_id', 'project_id'),
    experiment_id: text('object_id'),
    ...body,
    ...tracing,
  },
  dataset: {
    ...identity,
    project_id: sql`CAST(to_json(${projectId}) AS VARCHAR)`,
    dataset_id: text('object_id'),
    ...columns('input', 'expected', 'error', 'metadata', 'tags'),
    ...columns('span_id', 'span_parents', 'root_span_id', 'is_root', 'origin', 'classifications'),
  },
} satisfies Record<EventObjectKind, Record<string, Sql>>;

/** One VARCHAR: the whole event as a JSON object, absent fields as null. */
export function eventJson(kind: EventObjectKind): Sql {
  const members = Object.entries(fetchedFields[kind]).map(([name, value], index) => {
    const lead = `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    return sql`${lead}, coalesce(${value}, 'null')`;
  });
  // A chain of || would copy the text of an event once for each of its members.
  return sql`concat(${join(members)}, '}')`;
}
