// Sums and means that are the same in every run, whatever the order in which threads add.
import { sql, type Sql } from '../../duckdb/sql.js';
import { bindOnce } from './share.js';

/** The double nearest to the 15 leading digits. */
const rounded = (number: Sql): Sql => sql`TRY_CAST(format('{:.15g}', ${number}) AS DOUBLE)`;

/**
 * Rounds the result of `fsum` or `favg` to 15 digits. Their compensated summation is exact to about 16 digits, so a sum of numbers
 * of few digits does not depend on the order in which threads add, unless large values cancel; other sums can differ in the last
 * of the 15 digits, in about 1 of 50 cases. Integers below 2^53 are exact and stay as they are.
 * NULL for a sum that a double cannot hold.
 */
export const repeatable = (sum: Sql): Sql =>
  bindOnce(
    sum,
    (x) =>
      sql`CASE WHEN ${x} = trunc(${x}) AND abs(${x}) < 9007199254740992 THEN ${x} WHEN isfinite(${x}) THEN ${rounded(x)} END`,
  );
