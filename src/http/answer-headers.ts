// The headers of answers, as the reference describes them.
const described = {
  etag: 'Entity tag of the answer. A request with this `If-None-Match` gets 304 while the rows are unchanged. Queries on prompts, functions or audit logs, and those that use the time of the request, have none.',
  'x-evalstore-cursor': 'JSON Lines: cursor of the next page, if there is one.',
  'x-bt-cursor': 'JSON and JSON Lines: cursor of the next page, if there is one.',
  'x-bt-freshness-state':
    'Query: always `complete`; the answer includes everything written before the request.',
  'x-evalstore-version':
    'Transaction id of the data that was read or written; pass it as `version` to repeat a read.',
  'x-evalstore-columnstore':
    'Query with `use_columnstore`: `segments` if all rows of the sources were in segments, `sealed` if buffered rows were flushed first, `buffer` if they were read from the buffer.',
  'x-evalstore-rows': 'Query: the number of rows in the answer.',
  'x-evalstore-misfits':
    'Query as Parquet or Arrow: how many values are null in the file because they do not fit the type of their column.',
  'server-timing':
    'Milliseconds of a query: `total` until the answer was complete, of which `wait` in the queue and `read` reading.',
  'accept-ranges':
    '`bytes`: a request with a `Range` of bytes gets 206 and this part of the content.',
  'content-range': 'First and last byte of the part, and the length of the content.',
  'x-bt-found-existing': '`true` if the object already existed.',
  'x-request-id': 'Id of the request, as in the log.',
};

export type AnswerHeader = keyof typeof described;

/** The headers that CORS exposes to scripts. */
export const headerNames = Object.keys(described) as readonly AnswerHeader[];

/** OpenAPI headers of an answer: the common ones and `names`. */
export const answerHeaders = (names: readonly AnswerHeader[]) =>
  Object.fromEntries(
    (['x-request-id', ...names] as const).map((name) => [
      name,
      { description: described[name], schema: { type: 'string' } },
    ]),
  );
