import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { createArmColumns } from './arm-columns.js';
import { countedApart } from './counted-arms.js';

/** One row with the number of records. */
export function recordCount(relation: EventRelation): Sql {
  const { relation: uncounted, rows } = countedApart(relation);
  return sql`SELECT count(*) + ${BigInt(rows)} FROM ${createArmColumns(uncounted).from()}`;
}
