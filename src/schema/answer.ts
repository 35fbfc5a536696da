// The answers that are not an object alone.
import { Type, type TObject, type TSchema } from 'typebox';
import { AnyObject, Text, closed, described, nullable } from './scalar.js';

export const listOf = (object: TObject) =>
  Type.Object(
    { objects: Type.Array(object, { description: 'The objects, newest first.' }) },
    closed,
  );

export const pageOf = (event: TSchema) =>
  Type.Object(
    {
      events: Type.Array(event, { description: 'Rows, latest transaction first.' }),
      cursor: described(
        nullable(Text),
        'Place of the next page, for the parameter `cursor`; null when nothing follows.',
      ),
    },
    closed,
  );

export const RowIds = Type.Object(
  { row_ids: Type.Array(Text, { description: 'Ids of the events, in the order of the request.' }) },
  { ...closed, title: 'RowIds' },
);

/** Ids by the id of the object that the events went to. */
export const RowIdsById = Type.Record(Type.String(), RowIds, {
  description: 'Ids of the events by the id of their object.',
});

export const QueryAnswer = Type.Object(
  {
    data: Type.Array(AnyObject, { description: 'The rows.' }),
    schema: described(AnyObject, 'JSON schema of `data`.'),
    cursor: Type.Optional(
      described(Text, 'Place of the next page, for the clause `cursor`; absent at the end.'),
    ),
    warnings: Type.Optional(
      Type.Array(Text, { description: 'What may not be meant as it was written.' }),
    ),
  },
  { ...closed, title: 'QueryAnswer' },
);

export const ServerVersion = Type.Object(
  {
    version: described(Text, 'Version of the server.'),
    commit: described(nullable(Text), 'Commit that it was built from, where that is known.'),
  },
  { ...closed, title: 'ServerVersion' },
);

export const Health = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { ...closed, title: 'Health' },
);

export const file = (description: string) =>
  Type.Unsafe<string>(Type.String({ format: 'binary', description }));

/** The answers of a query beside JSON, by content type. */
export const queryFiles = {
  'application/vnd.apache.parquet': file('A Parquet file.'),
  'application/vnd.apache.arrow.stream': file('An Arrow IPC stream.'),
  'application/x-ndjson': file('The rows as JSON, one on each line.'),
  'text/csv': file('The rows as CSV with a header.'),
};
