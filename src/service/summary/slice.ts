// Restricts a summary to the traces whose roots pass a filter.
import { compileQuery } from '../../query/compile.js';
import { textRows } from '../../query/sql/output.js';
import { parseQuery } from '../../query/syntax/parse.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import { QueryError, badRequest } from '../../errors.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { readRows, type Reading } from '../read-rows.js';

const roots = "select: root_span_id | from: experiment('all') | filter: is_root";

/** The largest number of traces in a list. */
const tracesMax = 50_000;

/** @throws RequestError 400 for a text that is not a condition */
function readCondition(filter: string): QueryAst {
  const whole = parseQuery(roots);
  // Parsed on its own first: a text with an unbalanced bracket could add clauses to the query.
  const alone = parse(`select: root_span_id | from: experiment('all') | filter: ${filter}\n`);
  const rest = { ...alone, filter: null };
  if (alone.filter === null || JSON.stringify(rest) !== JSON.stringify({ ...whole, filter: null }))
    throw badRequest('filter: expected one condition, as in the clause `filter` of a query');
  return parse(`${roots} and (${filter}\n)`);
}

function parse(text: string): QueryAst {
  try {
    return parseQuery(text);
  } catch (error) {
    throw error instanceof QueryError ? badRequest(`filter: ${error.message}`) : error;
  }
}

/**
 * The relation of all rows of traces whose root passes the condition.
 * @param filter a condition of the query language
 * @throws RequestError 400 for a text that is not a condition, too many traces or an exceeded budget
 */
export async function sliceOf(reading: Reading, filter: string): Promise<EventRelation> {
  const { snapshot, objectIds } = reading;
  const ast = readCondition(filter);
  const options = {
    relation: snapshot.live(objectIds),
    tzOffsetMinutes: 0,
    nowMicros: BigInt(Date.now()) * 1000n,
  };
  const { columns, rows } = compileQuery(ast, options);
  const found = await readRows(reading, textRows(columns, rows));
  if (found.length > tracesMax)
    throw badRequest(
      `filter: ${found.length} traces pass it, the limit of a summary is ${tracesMax}: narrow the filter`,
    );
  const traces = found.map(
    ([row]) => (JSON.parse(String(row)) as { root_span_id: string }).root_span_id,
  );
  return snapshot.find(objectIds, { by: 'root_span_id', values: [...new Set(traces)] });
}
