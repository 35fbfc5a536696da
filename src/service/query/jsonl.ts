// The finished rows of a query as JSON Lines: what `data` of the JSON answer holds, one row per line.
import type { TextResult } from '../../store/event-store.js';
import { cursorAfter, cursorHeaders, framed, type Answered, type Body } from './run.js';

export function jsonlBody(run: Answered, result: TextResult): Body {
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': 'attachment; filename="query.jsonl"',
      ...cursorHeaders(['x-evalstore-cursor', 'x-bt-cursor'], cursorAfter(run, result)),
    },
    ...framed('', result.text, result.text.length === 0 ? '' : '\n'),
  };
}
