// What inputs are matched by: segments store it, of buffered rows it is computed when it is asked for.
import { sql } from '../../duckdb/sql.js';

/**
 * UUID over the columns of a row, equal for inputs that are equal as JSON; NULL for rows that nothing is
 * matched by: only roots of experiments are compared. What JavaScript printed is canonical but for the order of
 * keys, which needs two keys to matter.
 */
export const inputHash = sql`CASE WHEN is_root AND object_kind = 'experiment' THEN CAST(md5(CASE
  WHEN _lossless OR (contains(input, '{') AND contains(input, ',"')) THEN json_canonical(input)
  ELSE input END) AS UUID) END`;
