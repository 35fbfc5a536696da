// The versions of an object as rows, one per transaction that wrote to it.
import { sql, type Sql } from '../../duckdb/sql.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { limitedRows, valueRows, type OutputColumn } from '../sql/output.js';
import { fetchRows } from './fetch-rows.js';

/** Selects the Unix time in seconds from a transaction id that is shifted right by 16 bits. */
const secondMask = 0xffffffffn;

/** A page of transactions. */
export interface VersionPage {
  /** Only transactions before this one. */
  readonly before: bigint | null;
  /** Only transactions after this one; if there are more than `limit`, the oldest of them. */
  readonly after: bigint | null;
  /** Infinity for all. */
  readonly limit: number;
}

/** The output columns of `versionRows`. */
export const versionColumns: readonly OutputColumn[] = [
  { name: 'xact_id', type: 'string' },
  { name: 'created', type: 'timestamp' },
  { name: 'rows_written', type: 'number' },
  { name: 'rows_deleted', type: 'number' },
];

/**
 * SELECT of `versionColumns` as `c0`, `c1`, …, newest transaction first.
 * @param history all row versions of the object in the page, tombstones included, and possibly others
 */
export function versionRows(history: EventRelation, { before, after, limit }: VersionPage): Sql {
  const rows = fetchRows(history, [], null, ['_xact_id', '_deleted']);
  const isBackwards = after !== null;
  const transactions = sql`
    SELECT _xact_id, count(*) FILTER (NOT _deleted) AS written, count(*) FILTER (_deleted) AS deleted
    FROM ${rows}
    WHERE ${before === null ? sql`TRUE` : sql`_xact_id < ${before}`} AND ${after === null ? sql`TRUE` : sql`_xact_id > ${after}`}
    GROUP BY _xact_id ORDER BY _xact_id ${isBackwards ? sql`ASC` : sql`DESC`}`;
  return valueRows(
    versionColumns,
    sql`
      SELECT _xact_id AS c0, make_timestamp(((_xact_id >> 16) & ${secondMask}) * 1000000) AS c1, written AS c2, deleted AS c3
      FROM (${limitedRows(transactions, limit)}) ORDER BY _xact_id DESC`,
  );
}
