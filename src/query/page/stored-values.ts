// Computes the fields of a stored row in JavaScript. The values must equal those of the SQL of the fields in `bound/fields`.
import type { ResultColumn, ResultValue } from '../../json/result-row.js';
import { eventColumns } from '../../schema/event-columns.js';
import type { EventRow } from '../../schema/event-row.js';
import { fieldOf, type Field } from '../bound/fields.js';

export interface StoredColumn extends ResultColumn {
  readonly valueOf: (row: EventRow) => ResultValue;
}

/** The fields whose value is not that of a column of the same name. */
const computed: Readonly<Record<string, StoredColumn['valueOf']>> = {
  project_id: ({ object_kind: kind, object_id: id, project_id: project }) =>
    kind === 'dataset' && project === id ? null : project,
  experiment_id: ({ object_kind: kind, object_id: id }) => (kind === 'experiment' ? id : null),
  dataset_id: ({ object_kind: kind, object_id: id }) => (kind === 'dataset' ? id : null),
  log_id: ({ object_kind: kind }) => (kind === 'project_logs' ? 'g' : null),
  tags: ({ tags }) => listText(tags),
  span_parents: ({ span_parents: parents }) => listText(parents),
  _object_delete: ({ _deleted: deleted }) => deleted,
  _xact_id: ({ _xact_id: xactId }) => String(xactId),
  _pagination_key: ({ _xact_id: xactId, _position: position }) =>
    `p${xactId}${String(position).padStart(10, '0')}`,
};

const types = {
  json: 'json',
  strings: 'json',
  string: 'string',
  timestamp: 'timestamp',
  boolean: 'boolean',
  transaction: 'string',
  pageKey: 'string',
  integer: 'number',
} as const satisfies Record<Field['type'], ResultColumn['type']>;

/** The field as an output column `name`; null if it cannot be computed from the row. */
export function storedColumn(name: string, fieldName: string): StoredColumn | null {
  const field = fieldOf(fieldName);
  if (field === null) return null;
  const valueOf = computed[fieldName] ?? columnValue(fieldName);
  return valueOf === null ? null : { name, type: types[field.type], valueOf };
}

const columnValue = (name: string): StoredColumn['valueOf'] | null =>
  Object.hasOwn(eventColumns, name) ? (row) => row[name as keyof EventRow] as ResultValue : null;

/** Prints a list as the engine does: with upper-case hexadecimal digits in escapes. */
const listText = (list: readonly string[] | null): string | null =>
  list === null
    ? null
    : JSON.stringify(list).replaceAll(/\\(?:u([\da-f]{4})|.)/g, (escape, digits?: string) =>
        digits === undefined ? escape : String.raw`\u${digits.toUpperCase()}`,
      );

/** Whether the value is a string without unpaired surrogates, which would be stored as U+FFFD. */
export const isStorable = (value: unknown): value is string =>
  typeof value === 'string' && !/\p{Surrogate}/u.test(value);
