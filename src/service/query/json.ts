// The finished rows of a query as the text of its JSON answer.
import { nextCursor } from '../../query/page/query-cursor.js';
import { resultSchema } from '../../query/sql/result-schema.js';
import type { TextResult } from '../../store/event-store.js';
import { framed, type Body, type QueryRun } from './run.js';
import { jsonType } from '../reply.js';
import { collectRows } from './row-budget.js';

function tail(run: QueryRun, result: TextResult): string {
  const { ast, reader, compiled, snapshot } = run;
  const { columns, warnings, page } = compiled;
  const { kinds, place, rowCount } = result;
  const schema = JSON.stringify(resultSchema(columns, kinds));
  const hasMore = page !== null && rowCount > page.size;
  const cursor =
    hasMore && place !== null ? nextCursor(ast, reader, snapshot.version, place) : null;
  return [
    `],"schema":${schema}`,
    cursor === null ? '' : `,"cursor":${JSON.stringify(cursor)}`,
    warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`,
    '}',
  ].join('');
}

/** The query runs to its end first: a passed budget is then answered in words, not by a broken stream. */
export async function jsonBody(run: QueryRun): Promise<Body> {
  const result = await collectRows(run, ',');
  return { contentType: jsonType, ...framed('{"data":[', result.text, tail(run, result)) };
}
