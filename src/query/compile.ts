// Compiles a query: parse, bind, plan, generate. All stages are pure. A query is bound and planned once (`prepareQuery`),
// and SQL is generated for each relation that it reads.
import { sql, type Sql } from '../duckdb/sql.js';
import { QueryError } from '../errors.js';
import type { EventRelation } from '../schema/event-relation.js';
import type { LiteralValue, QueryAst } from './syntax/ast.js';
import { bindQuery } from './bind/bind.js';
import { noTypes, type PathTypes } from './bind/path-types.js';
import type { BoundQuery } from './bound/bound-query.js';
import { generate, type CodegenInput } from './sql/codegen.js';
import { firstRows, type FirstRows } from './sql/first-rows.js';
import type { QueryContext } from './value/time.js';
import { textRows, valueRows, type OutputColumn } from './sql/output.js';
import { withinStack } from './syntax/nesting.js';
import { inferColumns, inferredPaths, rowsRead } from './sql/infer.js';
import { pivotValuesQuery } from './bind/pivot.js';
import { readsRow } from './sql/page-start.js';
import { planQuery, type Plan } from './sql/plan.js';
import type { PagePosition } from './cursor/page-cursor.js';
import {
  lostRow,
  pageOrder,
  transactionOrder,
  type PageOrder,
  type TransactionOrder,
} from './cursor/query-cursor.js';

export interface GenerateOptions extends QueryContext {
  readonly relation: EventRelation;
  /** The types that the request gives to paths. */
  readonly types?: PathTypes;
  /** The start of the page, from `cursorOf`. */
  readonly after?: PagePosition | null;
}

/** A query that is bound and planned, without a relation. */
export interface PreparedQuery {
  readonly ast: QueryAst;
  readonly bound: BoundQuery;
  readonly plan: Plan;
  readonly pages: PageOrder | null;
  /** The order of the rows by transaction; null if they are in another order or are groups. */
  readonly order: TransactionOrder | null;
  /** Whether the newest or the oldest transactions come first. Unlike `order`, it does not order the rows of one transaction. */
  readonly transactions: TransactionOrder | null;
}

export interface QueryPage {
  readonly size: number;
  /** `valueRows` with the position of the row as one more column. There is a next page if it has more than `size` rows. */
  readonly valueRows: Sql;
}

export interface CompiledQuery {
  readonly columns: readonly OutputColumn[];
  /** The output columns as `c0`, `c1`, …, ordered and limited. */
  readonly rows: Sql;
  /** `rows` without sorting, except where the order determines which rows are in the result. */
  readonly unordered: Sql;
  /** `rows` in the form that `rowWriter` reads. */
  readonly valueRows: Sql;
  /** Null if the query has no limit, or its rows have no pages. */
  readonly page: QueryPage | null;
  /** SELECT of the row at the cursor, without which the page would be empty; null if the page does not need it. */
  readonly cursorRow: (() => Sql) | null;
  readonly warnings: readonly string[];
}

/**
 * @param pivotValues for a query with `pivot`: the values that the query of `generatePivotValues` found
 * @throws QueryError for a query that does not bind
 */
export function prepareQuery(
  ast: QueryAst,
  pivotValues: readonly LiteralValue[] = [],
): PreparedQuery {
  return withinStack(() => {
    const bound = bindQuery(rowsRead(ast), pivotValues);
    const pages = pageOrder(bound);
    const transactions = transactionOrder(bound);
    return {
      ast,
      bound,
      plan: planQuery(bound),
      pages,
      order: ast.shape === 'spans' && pages !== 'sorted' ? pages : null,
      transactions: ast.shape === 'spans' ? transactions : null,
    };
  });
}

const inputOf = (
  { pages }: PreparedQuery,
  { relation, types = noTypes, after = null, ...context }: GenerateOptions,
): CodegenInput => ({ relation, context, types, start: { order: pages, after } });

const withoutPages = ({ cursor }: QueryAst): QueryError =>
  new QueryError(
    cursor?.at ?? { line: 1, column: 1 },
    "cursor: groups, 'traces' and a sample of a number of rows have no pages",
  );

/** The query that finds the columns of `pivot`, whose rows `pivotValues` reads; null for a query without `pivot`. */
export function generatePivotValues(
  { bound }: PreparedQuery,
  { relation, ...context }: GenerateOptions,
): Sql | null {
  return withinStack(() => {
    const query = pivotValuesQuery(bound);
    if (query === null) return null;
    const start = { order: null, after: null };
    const { columns, rows } = generate(planQuery(query), {
      relation,
      context,
      types: noTypes,
      start,
    });
    return textRows(columns, rows);
  });
}

/** A query that finds the transactions or traces of the first rows; null for a query without a limit, or if it would not help. */
export function generateFirstRows(
  prepared: PreparedQuery,
  options: GenerateOptions,
): FirstRows | null {
  const { plan, transactions } = prepared;
  return withinStack(() => firstRows(plan, inputOf(prepared, options), transactions));
}

/** @throws QueryError for a cursor of a query without pages */
export function generateQuery(prepared: PreparedQuery, options: GenerateOptions): CompiledQuery {
  const { ast } = prepared;
  const compiled = withinStack(() => generateRows(prepared, options));
  if (ast.infer === null) return compiled;
  const columns = inferColumns;
  const rows = inferredPaths(ast.infer, ast.limit, compiled.columns, compiled.unordered);
  const { warnings } = compiled;
  return {
    columns,
    rows,
    unordered: rows,
    valueRows: valueRows(columns, rows),
    page: null,
    cursorRow: null,
    warnings,
  };
}

/** @throws QueryError as `prepareQuery` and `generateQuery` */
export const compileQuery = (ast: QueryAst, options: GenerateOptions): CompiledQuery =>
  generateQuery(prepareQuery(ast), options);

function generateRows(prepared: PreparedQuery, options: GenerateOptions): CompiledQuery {
  const { ast, bound, plan } = prepared;
  const input = inputOf(prepared, options);
  const { order, after } = input.start;
  if (ast.cursor !== null && after === null) throw lostRow(ast.cursor);
  if (after !== null && order === null) throw withoutPages(ast);
  const { columns, rows, unordered, page } = generate(plan, input);
  return {
    columns,
    rows,
    unordered,
    valueRows: valueRows(columns, rows),
    page:
      page === null
        ? null
        : { size: ast.limit ?? 0, valueRows: valueRows(columns, page, [sql`place`]) },
    cursorRow: cursorRow(plan, input),
    warnings: bound.warnings,
  };
}

function cursorRow(plan: Plan, input: CodegenInput): (() => Sql) | null {
  const { start } = input;
  if (plan.kind === 'groups' || !readsRow(plan, start)) return null;
  const atCursor = { ...input, start: { ...start, isRow: true } } as const;
  return () => withinStack(() => generate({ ...plan, limit: null }, atCursor).unordered);
}
