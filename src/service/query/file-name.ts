// The name under which a browser saves the answer of a query.
import type { QueryRequest } from '../../schema/request.js';

export type QueryFormat = NonNullable<QueryRequest['fmt']>;

const endings = {
  json: 'json',
  jsonl: 'jsonl',
  csv: 'csv',
  parquet: 'parquet',
  arrow: 'arrows',
} as const satisfies Record<QueryFormat, string>;

/** The header that names the file. */
export const namedFile = (fmt: QueryFormat): Readonly<Record<string, string>> => ({
  'Content-Disposition': `attachment; filename="query.${endings[fmt]}"`,
});
