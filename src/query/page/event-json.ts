// The fields of fetched events as output columns, in the order of the answer.
import { join, numbered, sql, type Sql } from '../../duckdb/sql.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { fetchedFields } from '../bound/fetched-fields.js';
import { fieldOf, type Field } from '../bound/fields.js';
import { textRows, type OutputColumn } from '../sql/output.js';
import { storedColumn, type StoredColumn } from './stored-values.js';

/** The fields, computed from stored rows. */
export const fetchedColumns = (kind: EventObjectKind): readonly StoredColumn[] =>
  fetchedFields(kind).flatMap((name) => storedColumn(name, name) ?? []);

/** The output columns `c0`, `c1`, … of `eventList`. */
export const eventFields = (kind: EventObjectKind): readonly OutputColumn[] =>
  fetchedColumns(kind).map(({ name, type }) => ({ name, type }));

const valueOf = ({ type, column }: Field): Sql => {
  if (type === 'transaction') return sql`CAST(${column} AS VARCHAR)`;
  return type === 'strings' ? sql`CAST(to_json(${column}) AS VARCHAR)` : column;
};

/** SELECT list of the fields as `c0`, `c1`, …. */
export const eventList = (kind: EventObjectKind): Sql =>
  join(
    fetchedFields(kind).map(
      (name, index) => sql`${valueOf(fieldOf(name)!)} AS ${numbered('c', index)}`,
    ),
  );

/** SELECT of `row`, the JSON text of each event, in which absent fields are null. `events` selects `eventList`. */
export const eventTexts = (kind: EventObjectKind, events: Sql): Sql =>
  textRows(eventFields(kind), events);
