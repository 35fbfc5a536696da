// The hash that matches the inputs of two experiments. Segments store it; for buffered rows it is computed when it is
// needed.
import { sql } from '../../duckdb/sql.js';

/**
 * SQL over the columns of a row: a UUID that is equal for inputs that are equal as JSON. It is NULL for other rows than roots of
 * experiments, which alone are compared. JSON that JavaScript printed is canonical except for the order of keys, so it is
 * canonicalised only if it may have two keys.
 */
export const inputHash = sql`CASE WHEN is_root AND object_kind = 'experiment' THEN CAST(md5(CASE
  WHEN _lossless OR (contains(input, '{') AND contains(input, ',"')) THEN json_canonical(input)
  ELSE input END) AS UUID) END`;
