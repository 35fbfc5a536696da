// The answers that are not an object alone.
import { Type, type TObject, type TSchema } from 'typebox';
import {
  AnyObject,
  Text,
  Timestamp,
  Uuid,
  closed,
  described,
  nullable,
  recordOf,
} from './scalar.js';

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
export const RowIdsById = recordOf(RowIds, {
  description: 'Ids of the events by the id of their object.',
});

const readVersion = described(Text, 'Transaction id of the data that was read.');

export const QueryAnswer = Type.Object(
  {
    data: Type.Array(AnyObject, { description: 'The rows.' }),
    schema: described(AnyObject, 'JSON schema of `data`.'),
    cursor: Type.Optional(
      described(Text, 'Place of the next page, for the clause `cursor`; absent at the end.'),
    ),
    freshness: Type.Literal('complete', {
      description: 'Always `complete`: the answer holds everything that was written before.',
    }),
    freshness_state: Type.Object(
      { last_processed_xact_id: readVersion, last_considered_xact_id: readVersion },
      { ...closed, description: 'Up to which transaction rows were read, and could be.' },
    ),
    realtime_state: Type.Object(
      {
        type: Type.Literal('on', { description: 'Always `on`.' }),
        minimum_xact_id: readVersion,
        actual_xact_id: readVersion,
        read_bytes: Type.Integer({ minimum: 0, description: 'Always 0.' }),
      },
      { ...closed, description: 'The same, as clients of other servers expect it.' },
    ),
    warnings: Type.Array(Text, { description: 'What may not be meant as it was written.' }),
  },
  { ...closed, title: 'QueryAnswer' },
);

export const ServerVersion = Type.Object(
  {
    version: described(Text, 'Version of the server.'),
    commit: described(nullable(Text), 'Commit that it was built from, where that is known.'),
    logs3_payload_max_bytes: described(
      Type.Null(),
      'Null: a body for `/logs3` may be as large as any with events.',
    ),
  },
  { ...closed, title: 'ServerVersion' },
);

export const Health = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`.' }) },
  { ...closed, title: 'Health' },
);

const Count = Type.Integer({ minimum: 0 });

export const ServerStatus = Type.Object(
  {
    version: described(Text, 'Version of the server.'),
    commit: described(nullable(Text), 'Commit that it was built from, where that is known.'),
    started: described(Timestamp, 'When the process began.'),
    last_xact_id: described(Text, 'The last transaction id of the whole server.'),
    buffered: Type.Object(
      {
        rows: described(Count, 'Row versions.'),
        bytes: described(Count, 'What they take up in the log.'),
      },
      { ...closed, description: 'Rows of the whole server that are in no segment yet.' },
    ),
    queries: Type.Object(
      {
        running: described(Count, 'Those that run.'),
        waiting: described(Count, 'Those that wait for their turn.'),
      },
      { ...closed, description: 'Queries of the whole server.' },
    ),
    projects: Type.Array(
      Type.Object(
        {
          project_id: described(Uuid, 'Id of the project.'),
          project_name: described(Text, 'Name of the project.'),
          segments: described(Count, 'Segments that it has.'),
          rows: described(Count, 'Row versions in its segments.'),
          superseded_rows: described(Count, 'Those of them that later versions replaced.'),
          bytes: described(Count, 'Size of the row files of its segments.'),
        },
        closed,
      ),
      { description: 'The projects that the key may read.' },
    ),
  },
  { ...closed, title: 'ServerStatus' },
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
