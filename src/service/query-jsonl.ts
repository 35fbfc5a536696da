// The finished rows of a query as JSON Lines: what `data` of the JSON answer holds, one row per line.
import { nextCursor } from '../query/query-cursor.js';
import { cursorHeader, framed, type Body, type QueryRun } from './query-run.js';

export async function jsonlBody({
  snapshot,
  ast,
  compiled,
  slices,
  signal,
}: QueryRun): Promise<Body> {
  const { page } = compiled;
  const rows = slices.map((slice) => slice.page?.jsonRows ?? slice.jsonRows);
  const rowsMax = page?.size ?? Infinity;
  const options = { lane: 'query', signal, separator: '\n', rowsMax } as const;
  const { text, rowCount, place } = await snapshot.collectText(rows, options);
  const hasMore = page !== null && rowCount > page.size && place !== null;
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': 'attachment; filename="query.jsonl"',
      ...(hasMore ? { [cursorHeader]: nextCursor(ast, snapshot.version, place) } : {}),
    },
    ...framed('', text, text.length === 0 ? '' : '\n'),
  };
}
