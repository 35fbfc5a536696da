// Restricts a summary to the traces whose roots pass a filter.
import { compileQuery } from '../../query/compile.js';
import { textRows } from '../../query/sql/output.js';
import { parseQuery } from '../../query/syntax/parse.js';
import type { QueryAst } from '../../query/syntax/ast.js';
import { checkSize } from '../../query/syntax/size.js';
import { namesOneOf } from '../../query/syntax/walk.js';
import type { TimeZone } from '../../query/value/time.js';
import { badRequest } from '../../errors.js';
import type { EventBranch, EventRelation } from '../../schema/event-relation.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller } from '../context.js';
import { parsedCondition } from '../query/parsed-queries.js';
import { privateFields, relationFor } from '../query/relation.js';
import { readRows, type Reading } from '../query/read-rows.js';

/** The largest number of traces in a list. */
const tracesMax = 50_000;

interface Root {
  readonly experiment_id: string;
  readonly root_span_id: string;
}

/** Finds the traces whose root passes a condition. */
export interface Roots {
  readonly query: QueryAst;
  readonly timeZone: TimeZone;
}

/**
 * @throws QueryError for a text that is not a condition, or one beyond a limit; RequestError 401 for a field that is not public
 * without a key, 429 if too many long queries wait
 */
export async function rootsThatPass(
  caller: Caller,
  filter: string,
  timeZone: TimeZone,
  signal: AbortSignal,
): Promise<Roots> {
  const roots = parseQuery(
    "select: experiment_id, root_span_id | from: experiment('all') | filter: is_root | limit: " +
      String(tracesMax + 1),
  );
  const condition = await parsedCondition(caller, filter, 'filter', signal);
  const both = { kind: 'binary', operator: 'and', left: roots.filter!, right: condition } as const;
  const query = { ...roots, filter: { ...both, at: condition.at } };
  checkSize(query);
  if (namesOneOf(query, privateFields)) requirePrincipal(caller);
  return { query, timeZone };
}

/**
 * The relation of all rows of the traces of these roots.
 * @throws RequestError 400 for a condition that does not bind, too many traces or an exceeded budget
 */
export async function sliceOf(
  reading: Reading,
  { query, timeZone }: Roots,
): Promise<EventRelation> {
  const { snapshot, objectIds } = reading;
  const options = {
    relation: await relationFor(snapshot, objectIds, query, {}),
    timeZone,
    nowMicros: BigInt(Date.now()) * 1000n,
  };
  const { columns, rows } = compileQuery(query, options);
  const found = await readRows(reading, textRows(columns, rows));
  if (found.length > tracesMax)
    throw badRequest(
      `filter: more than ${tracesMax} traces pass it, the limit of a summary: narrow the filter`,
    );
  // Experiments can have traces with the same id.
  const traces = new Map(objectIds.map((id) => [id, new Set<string>()]));
  for (const [row] of found) {
    const { experiment_id: id, root_span_id: trace } = JSON.parse(String(row)) as Root;
    traces.get(id)!.add(trace);
  }
  const branches: EventBranch[] = [];
  for (const [id, values] of traces)
    branches.push(
      ...(await snapshot.find([id], { by: 'root_span_id', values: [...values] })).branches,
    );
  return { branches };
}
