// Results of arithmetic that a double cannot hold, which are NULL.
import { sql, type Sql } from '../../duckdb/sql.js';
import { bindOnce } from './share.js';
import { scalarValue, type Value } from './value.js';

/** NULL for what is no finite number. A short expression is repeated, since a list for each row takes longer. */
export const finite = (number: Sql): Sql =>
  number.parts.length > shortParts ? bindOnce(number, checkedFinite) : checkedFinite(number);

const shortParts = 24;

const checkedFinite = (number: Sql): Sql => sql`CASE WHEN isfinite(${number}) THEN ${number} END`;

/** The result of arithmetic. Infinity and NaN become NULL, but further arithmetic uses the unchecked number. */
export const calculated = (number: Sql): Value => ({
  ...scalarValue('number', finite(number)),
  unchecked: number,
});

/** The operand of arithmetic. */
export const operandOf = (value: Value): Sql => value.unchecked ?? value.form('number');
