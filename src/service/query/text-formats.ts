// The text formats of answers: the separator of rows, and the body around them.
import { resultSchema } from '../../query/sql/result-schema.js';
import type { TextResult } from '../../store/event-store.js';
import { contentTypeOf, type QueryFormat } from '../../schema/query-format.js';
import { namedFile } from './file-name.js';
import { freshness } from './freshness.js';
import {
  cursorAfter,
  cursorHeaders,
  framed,
  shownRows,
  type AnswerContext,
  type Body,
} from './run.js';

/** The text after the rows. */
function jsonTail(run: AnswerContext, { kinds }: TextResult, cursor: string | null): string {
  const { columns, warnings } = run.compiled;
  const members = {
    schema: resultSchema(columns, kinds),
    ...(cursor === null ? {} : { cursor }),
    ...freshness(run.snapshot),
    warnings,
  };
  return `],${JSON.stringify(members).slice(1)}`;
}

function jsonBody(run: AnswerContext, result: TextResult): Body {
  const cursor = cursorAfter(run, result);
  return {
    contentType: contentTypeOf('json'),
    headers: { ...shownRows(run, result), ...cursorHeaders(['x-bt-cursor'], cursor) },
    ...framed('{"data":[', result.text, jsonTail(run, result, cursor)),
  };
}

/** The elements of `data` of the JSON body, one per line. */
function jsonlBody(run: AnswerContext, result: TextResult): Body {
  return {
    contentType: contentTypeOf('jsonl'),
    headers: {
      ...namedFile('jsonl'),
      ...shownRows(run, result),
      ...cursorHeaders(['x-evalstore-cursor', 'x-bt-cursor'], cursorAfter(run, result)),
    },
    ...framed('', result.text, result.text.length === 0 ? '' : '\n'),
  };
}

export const textFormats = {
  json: { separator: ',', bodyOf: jsonBody },
  jsonl: { separator: '\n', bodyOf: jsonlBody },
} as const satisfies Partial<Record<QueryFormat, unknown>>;

export type TextFormat = keyof typeof textFormats;

export const isTextFormat = (format: QueryFormat): format is TextFormat =>
  Object.hasOwn(textFormats, format);
