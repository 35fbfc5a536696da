// How large a stored row is, as SQL over its columns.
import { identifier, join, sql } from '../duckdb/sql.js';
import { eventColumns, type EventColumn } from './event-columns.js';

/** SQL: what the strings of a row take up in UTF-8. */
export const rowBytes = join(
  (Object.keys(eventColumns) as readonly EventColumn[]).flatMap((name) => {
    const column = identifier(name);
    switch (eventColumns[name]) {
      case 'json':
      case 'string':
        return [sql`coalesce(strlen(${column}), 0)`];
      case 'strings':
        return [sql`coalesce(list_sum(list_transform(${column}, lambda x: strlen(x))), 0)`];
      default:
        return [];
    }
  }),
  ' + ',
);
