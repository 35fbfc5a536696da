// The name under which a browser saves the answer of a query.
import { queryFormats, type QueryFormat } from '../../schema/query-format.js';

/** The header that names the file. */
export const namedFile = (fmt: QueryFormat): Readonly<Record<string, string>> => ({
  'Content-Disposition': `attachment; filename="query.${queryFormats[fmt].ending}"`,
});
