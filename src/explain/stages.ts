// Prints the results of the compiler stages that need no data and, without a data directory, the SQL of a query.
import { identifier, toStatement } from '../duckdb/sql.js';
import { bindQuery } from '../query/bind/bind.js';
import { compileQuery } from '../query/compile.js';
import { filterBounds } from '../query/filter-bounds.js';
import { planQuery } from '../query/sql/plan.js';
import type { QueryAst } from '../query/syntax/ast.js';
import { createParser, parseTree } from '../query/syntax/parse.js';
import { printQuery } from '../query/syntax/print.js';
import type { EventRelation } from '../schema/event-relation.js';
import { sealEveryMs, sealedAbove } from '../store/event-store.js';
import { printed, section } from './sections.js';

const columnstore = (isUsed: boolean): string =>
  isUsed
    ? `more than ${sealedAbove} buffered rows of the sources: moved to segments first, at most every ${sealEveryMs / 1000} s per project; fewer, or with a version: read from the buffer`
    : 'buffered rows: read from the buffer';

const context = () => ({ timeZone: 0, nowMicros: BigInt(Date.now()) * 1000n });

/** @throws QueryError for a query that does not bind */
export function stages(text: string, ast: QueryAst, usesColumnstore: boolean): string {
  const parser = createParser(text);
  const bound = bindQuery(ast);
  return [
    section('tree', parseTree(parser).toStringTree(parser)),
    section('ast', printed(ast)),
    section('text', printQuery(ast)),
    section('bound', printed(bound)),
    section('lookups', printed(filterBounds(ast, context()))),
    section('columnstore', columnstore(usesColumnstore)),
    section('plan', printed(planQuery(bound))),
  ].join('');
}

/** One table with the columns of events. */
const assumed: EventRelation = {
  arms: [{ name: 'buffer', rows: identifier('event'), hasLossless: false, paths: null }],
};

/** The SQL over one table, if there is no data directory. */
export function withoutData(ast: QueryAst, dataDirectory: string): string {
  const { rows } = compileQuery(ast, { relation: assumed, ...context() });
  const statement = toStatement(rows);
  return [
    section(
      'relation',
      `no server has used the data directory "${dataDirectory}" yet: one table \`event\` is assumed. Set EVALSTORE_DATA_DIR to see what the query reads there`,
    ),
    section('sql', statement.text),
    section('parameters', printed(statement.values.map(String))),
  ].join('');
}
