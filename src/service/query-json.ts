// The finished rows of a query as the text of its JSON answer.
import type { QueryAst } from '../query/ast.js';
import type { CompiledQuery } from '../query/compile.js';
import { allRows } from '../query/output.js';
import { nextCursor } from '../query/query-cursor.js';
import { resultSchema } from '../query/result-schema.js';
import type { QueryResult } from '../store/event-store.js';
import type { Body, QueryRun } from './query-run.js';
import { jsonType } from './reply.js';

/** What the rows tell while they go by. */
interface Passed {
  readonly kinds: Set<string>;
  count: number;
  /** The place of the last row of a full page. */
  place: string | null;
  hasMore: boolean;
}

type Row = readonly unknown[];

/** The rows of the chunk that belong to the page; a page's query gives one row more when there is one. */
function rowsOfPage(chunk: readonly Row[], size: number, passed: Passed): readonly Row[] {
  const rows = chunk.slice(0, Math.max(0, size - passed.count));
  passed.hasMore ||= rows.length < chunk.length;
  passed.count += rows.length;
  passed.place = (rows.at(-1)?.[2] as string | undefined) ?? passed.place;
  for (const row of rows) passed.kinds.add(row[1] as string);
  return rows;
}

function tail(ast: QueryAst, compiled: CompiledQuery, version: bigint, passed: Passed): string {
  const schema = JSON.stringify(resultSchema(compiled.columns, passed.kinds));
  const { warnings } = compiled;
  const cursor =
    passed.hasMore && passed.place !== null ? nextCursor(ast, version, passed.place) : null;
  return [
    `],"schema":${schema}`,
    cursor === null ? '' : `,"cursor":${JSON.stringify(cursor)}`,
    warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`,
    '}',
  ].join('');
}

async function* jsonText(
  { ast, compiled, snapshot: { version } }: QueryRun,
  result: QueryResult,
): AsyncIterable<string> {
  const passed: Passed = { kinds: new Set(), count: 0, place: null, hasMore: false };
  const size = compiled.page?.size ?? Infinity;
  let lead = '{"data":[';
  try {
    for await (const chunk of result.stream(allRows(result.table))) {
      const rows = rowsOfPage(chunk, size, passed);
      if (rows.length === 0) continue;
      yield lead + rows.map((row) => row[0] as string).join(',');
      lead = ',';
    }
  } finally {
    await result.close();
  }
  yield (lead === ',' ? '' : lead) + tail(ast, compiled, version, passed);
}

/** The query runs to its end first: a passed budget is then answered in words, not by a broken stream. */
export async function jsonBody(run: QueryRun): Promise<Body> {
  const { snapshot, compiled, signal } = run;
  const rows = compiled.page?.jsonRows ?? compiled.jsonRows;
  const result = await snapshot.materialize(rows, { lane: 'query', signal });
  return { contentType: jsonType, body: jsonText(run, result) };
}
