// The pipeline: parse -> bind -> plan -> codegen. Every stage is a pure function over plain data.
import { sql, type Sql } from '../duckdb/sql.js';
import { QueryError } from '../errors.js';
import type { EventRelation } from '../schema/event-relation.js';
import type { LiteralValue, QueryAst } from './syntax/ast.js';
import { bindQuery } from './bind/bind.js';
import type { BoundQuery } from './bind/bound.js';
import { generate } from './sql/codegen.js';
import type { PageStart } from './sql/page-start.js';
import { firstRows, type FirstRows } from './sql/first-rows.js';
import type { QueryContext } from './value/time.js';
import { textRows, valueRows, type OutputColumn } from './sql/output.js';
import { withinStack } from './syntax/nesting.js';
import { inferColumns, inferredPaths, rowsRead } from './sql/infer.js';
import { pivotValuesQuery } from './sql/pivot.js';
import { planQuery } from './sql/plan.js';
import type { PagePosition } from './page/page-cursor.js';
import {
  foreignCursor,
  pageOrder,
  transactionOrder,
  type TransactionOrder,
} from './page/query-cursor.js';

export interface CompileOptions extends QueryContext {
  readonly relation: EventRelation;
  /** Where the query's cursor lets it begin, as `cursorOf` read it. */
  readonly after?: PagePosition | null;
  /** Of a query with `pivot`: what `compilePivotValues` found. */
  readonly pivotValues?: readonly LiteralValue[];
}

export interface QueryPage {
  readonly size: number;
  /** `valueRows` with one more column: the place of the row. There is a next page if it has more than `size`. */
  readonly valueRows: Sql;
}

export interface CompiledQuery {
  readonly columns: readonly OutputColumn[];
  /** The output columns as `c0`, `c1`, …, ordered and limited. */
  readonly rows: Sql;
  /** `rows` as they come, without the price of sorting them; as `rows` where the order decides which rows there are. */
  readonly unordered: Sql;
  /** The same as `rowWriter` takes them. */
  readonly valueRows: Sql;
  /** For a query with a limit whose rows can be paged through. */
  readonly page: QueryPage | null;
  /** By their transaction, null when the rows are in another order or are groups. */
  readonly order: TransactionOrder | null;
  /** Which transactions come first; unlike `order` it says nothing of the rows of one transaction. */
  readonly transactions: TransactionOrder | null;
  readonly warnings: readonly string[];
}

const startOf = (query: BoundQuery, { after = null }: CompileOptions): PageStart => ({
  order: pageOrder(query),
  transactions: transactionOrder(query),
  after,
});

const withoutPages = ({ cursor }: QueryAst): QueryError =>
  new QueryError(
    cursor?.at ?? { line: 1, column: 1 },
    "cursor: groups, 'traces' and a sample of a number of rows have no pages",
  );

/**
 * The query that has to run before one with `pivot` is compiled; null for any other. `pivotValues` reads
 * its rows.
 * @throws QueryError for what only shows when names are resolved
 */
export function compilePivotValues(ast: QueryAst, options: CompileOptions): Sql | null {
  return withinStack(() => {
    const query = pivotValuesQuery(bindQuery(rowsRead(ast)));
    if (query === null) return null;
    const start = { order: null, transactions: null, after: null };
    const { columns, rows } = generate(planQuery(query), options.relation, options, start);
    return textRows(columns, rows);
  });
}

/**
 * What can be run before a query with a limit, to leave out most of the relation; null when that does not help.
 * @throws as `compileQuery`
 */
export function compileFirstRows(ast: QueryAst, options: CompileOptions): FirstRows | null {
  return withinStack(() => {
    const bound = bindQuery(rowsRead(ast), options.pivotValues);
    const start = startOf(bound, options);
    return firstRows(planQuery(bound), { relation: options.relation, context: options, start });
  });
}

/** @throws QueryError for what only shows when names are resolved */
export function compileQuery(ast: QueryAst, options: CompileOptions): CompiledQuery {
  const compiled = compileRows(rowsRead(ast), options);
  if (ast.infer === null) return compiled;
  const columns = inferColumns;
  const rows = inferredPaths(ast.infer, ast.limit, compiled.columns, compiled.rows);
  return {
    columns,
    rows,
    unordered: rows,
    valueRows: valueRows(columns, rows),
    page: null,
    order: null,
    transactions: null,
    warnings: compiled.warnings,
  };
}

function compileRows(ast: QueryAst, options: CompileOptions): CompiledQuery {
  return withinStack(() => {
    const bound = bindQuery(ast, options.pivotValues);
    const start = startOf(bound, options);
    const { order, after } = start;
    if (ast.cursor !== null && after === null) throw foreignCursor(ast.cursor);
    if (after !== null && order === null) throw withoutPages(ast);
    const { columns, rows, unordered, page } = generate(
      planQuery(bound),
      options.relation,
      options,
      start,
    );
    return {
      columns,
      rows,
      unordered,
      valueRows: valueRows(columns, rows),
      page:
        page === null
          ? null
          : { size: ast.limit ?? 0, valueRows: valueRows(columns, page, [sql`place`]) },
      order: ast.shape === 'spans' && order !== 'sorted' ? order : null,
      transactions: ast.shape === 'spans' ? start.transactions : null,
      warnings: bound.warnings,
    };
  });
}
