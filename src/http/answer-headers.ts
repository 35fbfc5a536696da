// What the reference says of the headers of answers.
const described = {
  etag: 'Tag of the answer: sent as `If-None-Match`, it is answered with 304 for as long as the rows are the same. Queries on prompts, and those that name the time of the request, have none.',
  'x-evalstore-cursor': 'Of JSON Lines: the cursor of the next page, where one follows.',
  'x-bt-cursor': 'Of JSON and JSON Lines: the cursor of the next page, where one follows.',
  'x-bt-freshness-state':
    'Of a query: `complete`, since an answer holds everything that was written before it was asked for.',
  'x-evalstore-version':
    'Transaction id of the data that was read or written: passed as `version` it reproduces a read.',
  'x-evalstore-columnstore':
    'Of a query with `use_columnstore`: `segments` when all rows of its sources were in columns, `sealed` when buffered ones were moved there first, `buffer` when they were read where they are.',
  'x-bt-found-existing': '`true` when the object existed before and was answered as it is.',
  'x-request-id': 'Id of the request, as it is in the log.',
};

/** Names of headers, in the form that browsers are told which ones scripts may read. */
export const headerNames = Object.keys(described) as readonly (keyof typeof described)[];

/** OpenAPI's headers of an answer: those of every answer, and these. */
export const answerHeaders = (names: readonly (keyof typeof described)[]) =>
  Object.fromEntries(
    (['x-request-id', ...names] as const).map((name) => [
      name,
      { description: described[name], schema: { type: 'string' } },
    ]),
  );
