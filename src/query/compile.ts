// The pipeline: parse -> bind -> plan -> codegen. Every stage is a pure function over plain data.
import type { Sql } from '../duckdb/sql.js';
import type { EventRelation } from '../schema/event-relation.js';
import type { QueryAst } from './ast.js';
import { bindQuery } from './bind.js';
import { generate } from './codegen.js';
import type { QueryContext } from './time.js';
import { jsonRows, type OutputColumn } from './output.js';
import { withinStack } from './nesting.js';
import { planQuery } from './plan.js';

export interface CompileOptions extends QueryContext {
  readonly relation: EventRelation;
}

export interface CompiledQuery {
  readonly columns: readonly OutputColumn[];
  /** The output columns as `c0`, `c1`, …, ordered and limited. */
  readonly rows: Sql;
  /** Two text columns per row of the result: its JSON, and the kinds of its values. */
  readonly jsonRows: Sql;
  readonly warnings: readonly string[];
}

/** @throws QueryError for what only shows when names are resolved */
export function compileQuery(ast: QueryAst, options: CompileOptions): CompiledQuery {
  return withinStack(() => {
    const bound = bindQuery(ast);
    const { columns, rows } = generate(planQuery(bound), options.relation, options);
    return { columns, rows, jsonRows: jsonRows(columns, rows), warnings: bound.warnings };
  });
}
