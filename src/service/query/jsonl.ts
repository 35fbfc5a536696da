// The JSON Lines body of an answer: the elements of `data` of the JSON body, one per line.
import type { TextResult } from '../../store/event-store.js';
import { namedFile } from './file-name.js';
import { cursorAfter, cursorHeaders, framed, type AnswerContext, type Body } from './run.js';

export function jsonlBody(run: AnswerContext, result: TextResult): Body {
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    headers: {
      ...namedFile('jsonl'),
      ...cursorHeaders(['x-evalstore-cursor', 'x-bt-cursor'], cursorAfter(run, result)),
    },
    ...framed('', result.text, result.text.length === 0 ? '' : '\n'),
  };
}
