// Pages of a query: the queries that have pages, the cursor at the end of a page, and the start of the next one.
import { QueryError } from '../../errors.js';
import { join, sql, type Sql } from '../../duckdb/sql.js';
import type { QueryAst } from '../syntax/ast.js';
import { wholeField, type BoundQuery } from '../bound/bound-query.js';
import {
  decodeCursor,
  encodeCursor,
  type CursorReader,
  type CursorUse,
  type PageCursor,
  type PagePosition,
  type PageVersion,
} from './page-cursor.js';
import { printQuery } from '../syntax/print.js';

/** An order by transaction; within a transaction, the page order. */
export type TransactionOrder = 'newest' | 'oldest';

/** The order of the pages of a query: by transaction, or `sorted` by other keys. */
export type PageOrder = TransactionOrder | 'sorted';

/** Returns null for queries whose rows have no stable position in the result. */
export function pageOrder(query: BoundQuery): PageOrder | null {
  const { isGrouped, shape, sample, sort } = query;
  if (isGrouped || shape === 'traces' || sample?.unit === 'rows') return null;
  const isOther =
    sort.length > 1 || sort.some(({ expression }) => wholeField(expression) !== '_xact_id');
  return isOther ? 'sorted' : transactionOrder(query);
}

/** The order by transaction; null if another sort key precedes the transaction. */
export function transactionOrder({ isGrouped, sort }: BoundQuery): TransactionOrder | null {
  if (isGrouped || !sort.every(({ expression }) => placed.has(wholeField(expression) ?? '')))
    return null;
  return sort[0]?.descending === false ? 'oldest' : 'newest';
}

/** Fields whose values follow from the position of a row. */
const placed: ReadonlySet<string> = new Set(['_xact_id', '_pagination_key']);

/** A cursor is valid for its query with any limit. */
const useOf = (ast: QueryAst): CursorUse => ({
  kind: 'query',
  of: printQuery({ ...ast, cursor: null, limit: null }),
});

/**
 * The position after which the query begins, and its version; null for a query without a cursor.
 * @throws QueryError for a text that is not a cursor of this query and this reader
 */
export function cursorOf(ast: QueryAst, reader: CursorReader): PageCursor | null {
  if (ast.cursor === null) return null;
  const cursor = decodeCursor(ast.cursor.text, reader, useOf(ast));
  if (cursor === null) throw foreignCursor(ast.cursor);
  return cursor;
}

type CursorClause = NonNullable<QueryAst['cursor']>;

const foreignCursor = ({ at }: CursorClause): QueryError =>
  new QueryError(at, 'cursor: not a cursor of this query');

/** For a page that begins after a row which the caller can no longer read, for example of a deleted experiment. */
export const lostRow = ({ at }: CursorClause): QueryError =>
  new QueryError(
    at,
    'cursor: the last row of the page before is no longer in the result: begin again without the cursor',
  );

/** @param place the position of the last row of the page, as `positionText` */
export function nextCursor(
  ast: QueryAst,
  reader: CursorReader,
  pageVersion: PageVersion,
  place: string,
): string {
  const [rootSpanId = '', xactId = '', ...numbers] = JSON.parse(place) as string[];
  const [position = 0, ...members] = numbers.map(Number);
  const at = { xactId: BigInt(xactId), position, rootSpanId, members };
  return encodeCursor({ ...pageVersion, ...at }, reader, useOf(ast));
}

/** The columns that determine the position of a row. */
export interface PositionColumns {
  readonly transaction: Sql;
  readonly trace: Sql;
  readonly position: Sql;
  /** The indexes of the row among the rows that `unpivot` makes of one event. */
  readonly members: readonly Sql[];
}

/** The position of a row as JSON text. */
export const positionText = ({ transaction, trace, position, members }: PositionColumns): Sql => {
  const numbers = [transaction, position, ...members].map((each) => sql`CAST(${each} AS VARCHAR)`);
  return sql`CAST(to_json([${trace}, ${join(numbers)}]) AS VARCHAR)`;
};

/** The condition for rows after a position. */
export function isAfter(
  { transaction, trace, position, members }: PositionColumns,
  after: PagePosition,
  order: TransactionOrder,
): Sql {
  const { xactId, rootSpanId } = after;
  const later = order === 'newest' ? sql`<` : sql`>`;
  return sql`(${transaction} ${later}= ${xactId} AND (${transaction} ${later} ${xactId} OR ${trace} < ${rootSpanId} OR (${trace} = ${rootSpanId} AND ${isBelow(position, after.position, areAfter(members, after.members ?? []))})))`;
}

const isBelow = (column: Sql, place: number, tie: Sql | null): Sql =>
  tie === null
    ? sql`${column} < ${place}`
    : sql`(${column} < ${place} OR (${column} = ${place} AND ${tie}))`;

/** Returns null without members. */
function areAfter(
  [column, ...columns]: readonly Sql[],
  [place = 0, ...places]: readonly number[],
): Sql | null {
  if (column === undefined) return null;
  const tie = areAfter(columns, places);
  return tie === null
    ? sql`${column} > ${place}`
    : sql`(${column} > ${place} OR (${column} = ${place} AND ${tie}))`;
}
