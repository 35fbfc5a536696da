// The field `_pagination_key`: where a row version stands among all others.
import { sql, type Sql } from '../../duckdb/sql.js';
import { scalarValue, type Value } from './value.js';

/**
 * A string for each row version that sorts as its transaction and its position in it do: `p`, 19 digits and 10 digits.
 */
export const pageKeyValue = (id: Sql, position: Sql): Value => ({
  ...scalarValue(
    'string',
    sql`concat('p', CAST(${id} AS VARCHAR), lpad(CAST(${position} AS VARCHAR), 10, '0'))`,
  ),
  sortKeys: [id, position],
});
