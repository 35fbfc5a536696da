// The columns of the table of events in PostgreSQL.
import { jsonTextColumns } from './leaf-columns.js';

/** With their types, as in the definition of a table. */
export const columns = [
  'id text',
  'created timestamptz',
  'span_id text',
  'root_span_id text',
  'span_parents text[]',
  'tags text[]',
  ...jsonTextColumns.map((name) => `${name} jsonb`),
].join(', ');

export const names = columns.replaceAll(/ \S+(,|$)/g, '$1');
