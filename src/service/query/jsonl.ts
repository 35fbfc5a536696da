// The finished rows of a query as JSON Lines: what `data` of the JSON answer holds, one row per line.
import { nextCursor } from '../../query/page/query-cursor.js';
import { cursorHeader, framed, type Body, type QueryRun } from './run.js';
import { collectRows } from './row-budget.js';

export async function jsonlBody(run: QueryRun): Promise<Body> {
  const { snapshot, ast, reader, compiled } = run;
  const { page } = compiled;
  const { text, rowCount, place } = await collectRows(run, '\n');
  const hasMore = page !== null && rowCount > page.size && place !== null;
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': 'attachment; filename="query.jsonl"',
      ...(hasMore ? { [cursorHeader]: nextCursor(ast, reader, snapshot.version, place) } : {}),
    },
    ...framed('', text, text.length === 0 ? '' : '\n'),
  };
}
