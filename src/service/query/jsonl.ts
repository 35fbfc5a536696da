// The finished rows of a query as JSON Lines: what `data` of the JSON answer holds, one row per line.
import { cursorAfter, cursorHeaders, framed, type Body, type QueryRun } from './run.js';
import { collectRows } from './row-budget.js';

export async function jsonlBody(run: QueryRun): Promise<Body> {
  const result = await collectRows(run, '\n');
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': 'attachment; filename="query.jsonl"',
      ...cursorHeaders(['x-evalstore-cursor', 'x-bt-cursor'], cursorAfter(run, result)),
    },
    ...framed('', result.text, result.text.length === 0 ? '' : '\n'),
  };
}
