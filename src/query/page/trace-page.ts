// Pages of a fetch: the page order as SQL, and the end of a page that is limited to a number of traces.
import type { Sql } from '../../duckdb/sql.js';
import { join, sql, within } from '../../duckdb/sql.js';
import type { EventObjectKind } from '../../schema/event-row.js';
import { eventList } from './event-json.js';
import type { PagePosition } from '../cursor/page-cursor.js';

/** The rows after `after` (excluded) up to `until` (included) in page order; null leaves that end open. */
export interface PageRange {
  readonly after: PagePosition | null;
  readonly until: PagePosition | null;
  /** A range of transaction ids, inclusive, as a further condition. */
  readonly xacts?: { readonly from: bigint | null; readonly to: bigint | null };
}

const pageOrder = sql`_xact_id DESC, root_span_id DESC, _position DESC`;

// Compares column by column: the engine rewrites two comparisons of tuples to a BETWEEN that fails to run. The first comparison is
// implied by the others; it lets the engine skip row groups.
const beyond = ({ xactId, rootSpanId, position }: PagePosition): Sql =>
  sql`_xact_id <= ${xactId} AND (_xact_id < ${xactId} OR root_span_id < ${rootSpanId} OR (root_span_id = ${rootSpanId} AND _position < ${position}))`;

const upTo = ({ xactId, rootSpanId, position }: PagePosition): Sql =>
  sql`_xact_id >= ${xactId} AND (_xact_id > ${xactId} OR root_span_id > ${rootSpanId} OR (root_span_id = ${rootSpanId} AND _position >= ${position}))`;

const always = sql`true`;

const inRange = ({ after, until, xacts }: PageRange): Sql =>
  join(
    [
      after ? beyond(after) : always,
      until ? upTo(until) : always,
      ...(xacts === undefined ? [] : within(sql`_xact_id`, xacts)),
    ],
    ' AND ',
  );

/** SELECT of (_xact_id, root_span_id, _position) of the next `count` rows in page order, from the transaction `from` on. */
export const pageKeys = (
  rows: Sql,
  after: PagePosition | null,
  from: bigint | null,
  count: number,
): Sql =>
  sql`SELECT _xact_id, root_span_id, _position FROM ${rows} WHERE ${inRange({ after, until: null, xacts: { from, to: null } })} ORDER BY ${pageOrder} LIMIT ${count}`;

/** SELECT of the fields of the events in the range, in page order. */
export const pageEvents = (kind: EventObjectKind, rows: Sql, range: PageRange): Sql =>
  sql`SELECT ${eventList(kind)} FROM ${rows} WHERE ${inRange(range)} ORDER BY ${pageOrder}`;

/** SELECT of (_xact_id, root_span_id, _position, `bytes` as a DOUBLE) of the rows in the range, in page order. */
export const pageWeights = (rows: Sql, range: PageRange, bytes: Sql): Sql =>
  sql`SELECT _xact_id, root_span_id, _position, CAST(${bytes} AS DOUBLE) AS bytes FROM ${rows} WHERE ${inRange(range)} ORDER BY ${pageOrder}`;

/** Divides `rows` into parts of one row or at most `bytesMax` bytes, and returns the last position of each part, in order. */
export function partEnds(rows: readonly WeighedPosition[], bytesMax: number): PagePosition[] {
  const ends: PagePosition[] = [];
  let sum = 0;
  rows.forEach(({ bytes }, index) => {
    const before = rows[index - 1];
    if (before !== undefined && sum + bytes > bytesMax) {
      ends.push(before);
      sum = 0;
    }
    sum += bytes;
  });
  const last = rows.at(-1);
  return last === undefined ? ends : [...ends, last];
}

export interface WeighedPosition extends PagePosition {
  readonly bytes: number;
}

/**
 * The number of leading keys that belong to a page of at most `limit` traces. Adds their traces to `traces`, the traces that are
 * on the page.
 */
export function countAdmitted(
  keys: readonly PagePosition[],
  limit: number,
  traces: Set<string>,
): number {
  const end = keys.findIndex(({ rootSpanId }) => {
    if (!traces.has(rootSpanId) && traces.size === limit) return true;
    traces.add(rootSpanId);
    return false;
  });
  return end === -1 ? keys.length : end;
}
