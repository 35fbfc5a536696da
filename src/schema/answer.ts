// Schemas of answers other than a single object.
import { Type, type TObject, type TSchema } from 'typebox';
import {
  AnyObject,
  Text,
  Timestamp,
  Uuid,
  component,
  described,
  exactly,
  nullable,
  omittable,
  recordOf,
} from './scalar.js';

export const listOf = (object: TObject) =>
  exactly({ objects: Type.Array(object, { description: 'Objects, newest first.' }) });

export const pageOf = (event: TSchema) =>
  exactly({
    events: Type.Array(event, { description: 'Rows, latest transaction first.' }),
    cursor: described(nullable(Text), 'Cursor of the next page; null on the last page.'),
  });

export const RowIds = component('RowIds', {
  row_ids: Type.Array(Text, { description: 'Ids of the events, in the order of the request.' }),
});

/** Event ids by the id of their object. */
export const RowIdsById = recordOf(RowIds, {
  description: 'Ids of the events by the id of their object.',
});

const readVersion = described(Text, 'Transaction id of the data that was read.');

const clusterState = Type.Union(
  ['checking', 'agrees', 'differs', 'unavailable'].map((state) => Type.Literal(state)),
  {
    description:
      'Whether it gives the answers of this server: `differs` if one differs, `unavailable` if there is none.',
  },
);

export const QueryAnswer = component('QueryAnswer', {
  data: Type.Array(AnyObject, { description: 'The rows.' }),
  schema: described(AnyObject, 'JSON schema of `data`.'),
  cursor: omittable(
    Text,
    'Cursor of the next page, for the clause `cursor`; absent on the last page.',
  ),
  freshness: Type.Literal('complete', {
    description: 'Always `complete`: the answer includes everything written before the request.',
  }),
  freshness_state: described(
    exactly({ last_processed_xact_id: readVersion, last_considered_xact_id: readVersion }),
    'Latest transactions that were read and considered.',
  ),
  realtime_state: described(
    exactly({
      type: Type.Literal('on', { description: 'Always `on`.' }),
      minimum_xact_id: readVersion,
      actual_xact_id: readVersion,
      read_bytes: Type.Integer({ minimum: 0, description: 'Always 0.' }),
    }),
    'The same, in the form that clients of other servers expect.',
  ),
  warnings: Type.Array(Text, { description: 'Warnings about probable mistakes in the query.' }),
  cluster: Type.Optional(
    described(
      exactly({
        state: clusterState,
        route: Type.Enum(['cluster', 'server'], { description: 'Which of them would answer.' }),
        reason: described(nullable(Text), 'Why the server would; null for the cluster.'),
        sql: described(
          nullable(Text),
          'Statement of Trino that has the rows of the query; null if there is none.',
        ),
      }),
      'Where the query would be answered, with `explain`; absent without a Trino cluster.',
    ),
  ),
});

export const ServerVersion = component('ServerVersion', {
  version: described(Text, 'Version of the server.'),
  commit: described(nullable(Text), 'Commit of the build, if known.'),
  logs3_payload_max_bytes: described(
    Type.Null(),
    'Always null: `/logs3` has the same limit as an insert into one object.',
  ),
});

export const Health = component('Health', {
  status: Type.Literal('ok', { description: 'Always `ok`.' }),
});

export const Readiness = component('Readiness', {
  status: Type.Literal('ready', { description: 'Always `ready`.' }),
});

const Count = Type.Integer({ minimum: 0 });

export const ServerStatus = component('ServerStatus', {
  version: described(Text, 'Version of the server.'),
  commit: described(nullable(Text), 'Commit of the build, if known.'),
  started: described(Timestamp, 'Start time of the process.'),
  last_xact_id: described(Text, 'The last transaction id of the whole server.'),
  buffered: described(
    nullable(
      exactly({
        rows: described(Count, 'Row versions.'),
        bytes: described(Count, 'Bytes in the log.'),
        age_seconds: described(
          Type.Number({ minimum: 0 }),
          'Age of the oldest one; 0 without one.',
        ),
      }),
    ),
    'Buffered rows of the whole server; null unless the user of the key owns an organisation.',
  ),
  queries: described(
    nullable(
      exactly({
        running: described(Count, 'Number of running queries.'),
        waiting: described(Count, 'Number of waiting queries.'),
      }),
    ),
    'Queries of the whole server; null unless the user of the key owns an organisation.',
  ),
  deleted_bytes: described(
    nullable(Count),
    'Bytes of the files of segments of deleted projects on the whole server; null unless the user of the key owns an organisation.',
  ),
  disk: described(
    nullable(
      exactly({
        free_bytes: described(Count, 'Free bytes of the disk of the data directory.'),
        reserve_bytes: described(Count, 'Free bytes that inserts leave.'),
        folders: recordOf(Count, {
          description: 'Bytes of the files of each folder; empty before the first measurement.',
        }),
        growth_bytes_per_day: described(
          nullable(Type.Number()),
          'Growth of what stays on disk, measured over the last day at most; null in the first hour.',
        ),
        days_left: described(
          nullable(Type.Number({ minimum: 0 })),
          'Free bytes without the reserve, divided by the growth; null if it is not known, or not above 0.',
        ),
      }),
    ),
    'Disk of the data directory; null unless the user of the key owns an organisation.',
  ),
  maintenance: described(
    nullable(
      Type.Array(
        exactly({
          task: described(
            Text,
            '`flush`, `merge`, `purge` of a deleted project, or `removal` of events.',
          ),
          runs: described(Count, 'Runs since the start.'),
          failures: described(Count, 'Those that failed; they are tried again.'),
          last_seconds: described(
            nullable(Type.Number({ minimum: 0 })),
            'Duration of the last run in seconds.',
          ),
          succeeded: described(nullable(Timestamp), 'End of the last run that succeeded.'),
          failed: described(nullable(Timestamp), 'End of the last run that failed.'),
          is_failing: described(Type.Boolean(), 'Whether the last run failed.'),
        }),
      ),
    ),
    'Flushes, merges, purges and removals; null unless the user of the key owns an organisation.',
  ),
  bucket: described(
    nullable(
      exactly({
        address: described(Text, 'EVALSTORE_BUCKET.'),
        uploaded_segments: described(Count, 'Segments that are in the bucket.'),
        pending_segments: described(Count, 'Segments that are not in the bucket yet.'),
        pending_bytes: described(Count, 'Bytes of their files.'),
        removed_segments: described(
          Count,
          'Segments that were removed or merged and are still in the bucket.',
        ),
        uploaded: described(nullable(Timestamp), 'End of the last upload since the start.'),
        copied: described(
          nullable(Timestamp),
          'Time of the last copy of the manifest since the start.',
        ),
        failures: described(Count, 'Failures since the start; they are tried again.'),
        failure: described(nullable(Text), 'Reason of the last attempt; null if it succeeded.'),
      }),
    ),
    'The copies of segments in the bucket; null without one, or unless the user of the key owns an organisation.',
  ),
  cluster: described(
    nullable(
      exactly({
        name: described(Text, 'Host and port of the Trino cluster.'),
        state: clusterState,
        reason: described(nullable(Text), 'Why it is not used, in one sentence.'),
        checked: described(nullable(Timestamp), 'Time of the last check; null before the first.'),
      }),
    ),
    'Trino cluster; null without one, and unless the user of the key owns an organisation.',
  ),
  projects: Type.Array(
    exactly({
      project_id: described(Uuid, 'Id of the project.'),
      project_name: described(Text, 'Name of the project.'),
      segments: described(Count, 'Number of segments.'),
      rows: described(Count, 'Row versions in its segments.'),
      superseded_rows: described(Count, 'Number of superseded row versions among them.'),
      bytes: described(Count, 'Bytes of the files of its segments.'),
    }),
    { description: 'Projects in which the key may read everything.' },
  ),
});

export const RunningQuery = component('RunningQuery', {
  id: described(Uuid, 'Id of the query while it runs.'),
  query: described(Text, 'Text of the query, at most 1,024 characters of it.'),
  state: Type.Union([Type.Literal('waiting'), Type.Literal('running')], {
    description: 'Whether it waits for its turn.',
  }),
  user_id: described(nullable(Uuid), 'User who runs it; null without a key.'),
  project_ids: Type.Array(Uuid, { description: 'Projects from which it reads.' }),
  started: described(Timestamp, 'Time at which it began.'),
  elapsed_ms: described(Count, 'Milliseconds since then.'),
  waited_ms: described(Count, 'Milliseconds of them in which it waited for its turns, up to now.'),
});

const SlowQuery = component('SlowQuery', {
  id: described(Uuid, 'Id that the query had.'),
  query: described(Text, 'Text of the query, at most 1,024 characters of it.'),
  user_id: described(nullable(Uuid), 'User who ran it; null without a key.'),
  project_ids: Type.Array(Uuid, { description: 'Projects from which it read.' }),
  request_id: described(Text, 'Id of its request in the log of the server.'),
  started: described(Timestamp, 'Time at which it began.'),
  elapsed_ms: described(Count, 'Milliseconds until its answer was written, or it failed.'),
  waited_ms: described(Count, 'Milliseconds of them in which it waited for its turns.'),
  rows: described(
    nullable(Count),
    'Upper estimate of the rows that it read; null if it ended before.',
  ),
  bytes: described(nullable(Count), 'Upper estimate of the bytes of their JSON.'),
});

export const ListedQueries = exactly({
  objects: Type.Array(RunningQuery, { description: 'Queries that run or wait, oldest first.' }),
  slow: Type.Array(SlowQuery, {
    description: 'The last queries that were slow, at most 50 since the start, newest first.',
  }),
});

export const DownloadAddress = component('DownloadAddress', {
  url: described(
    Text,
    'URL of the answer, for GET and HEAD without a key, also with `Range`, with the rights that the key has at that time.',
  ),
  expires: described(Timestamp, 'Expiry of the URL.'),
});

export const file = (description: string) =>
  Type.Unsafe<string>(Type.String({ format: 'binary', description }));
