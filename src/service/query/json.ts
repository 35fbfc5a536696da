// The JSON body of an answer.
import { resultSchema } from '../../query/sql/result-schema.js';
import type { TextResult } from '../../store/event-store.js';
import { freshness } from './freshness.js';
import { cursorHeaders, cursorAfter, framed, type AnswerContext, type Body } from './run.js';
import { jsonType } from '../reply.js';

/** The text after the rows. */
function tail(run: AnswerContext, { kinds }: TextResult, cursor: string | null): string {
  const { columns, warnings } = run.compiled;
  const members = {
    schema: resultSchema(columns, kinds),
    ...(cursor === null ? {} : { cursor }),
    ...freshness(run.snapshot),
    warnings,
  };
  return `],${JSON.stringify(members).slice(1)}`;
}

export function jsonBody(run: AnswerContext, result: TextResult): Body {
  const cursor = cursorAfter(run, result);
  return {
    contentType: jsonType,
    headers: cursorHeaders(['x-bt-cursor'], cursor),
    ...framed('{"data":[', result.text, tail(run, result, cursor)),
  };
}
