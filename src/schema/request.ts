// Parameters of lists, fetches and queries.
import { Type, type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { atMost, limits } from './limits.js';
import {
  Flag,
  Limit,
  Text,
  TzOffset,
  Uuid,
  component,
  described,
  exactly,
  omittable,
  optional,
  recordOf,
  tzOffsetText,
  XactIdText,
} from './scalar.js';
import { QueryFormatName } from './query-format.js';
import { alone, both, never } from './together.js';
import { xactIdSpellings } from './xact-id.js';

/** Query parameters of every list; each kind adds its filters. */
export const listParameters = {
  limit: omittable(Limit, 'Maximum number of objects; by default all.'),
  starting_after: omittable(
    Uuid,
    'Returns the page after the object with this id. Not allowed together with `ending_before`.',
  ),
  ending_before: omittable(
    Uuid,
    'Returns the page before the object with this id. Not allowed together with `starting_after`.',
  ),
  ids: Type.Optional(
    Type.Array(Uuid, {
      ...atMost(limits.ids),
      description:
        'Only objects with these ids; repeat the parameter for several, or separate them by commas.',
    }),
  ),
  org_name: omittable(Text, 'Only objects of the organisation with this name.'),
  org_id: omittable(Uuid, 'Only objects of the organisation with this id.'),
};

const fetchLimit = described(Limit, 'Maximum number of traces; by default all.');

const fetchTexts = {
  cursor: 'The `cursor` of the previous page; returns the page after it.',
  max_xact_id:
    'Deprecated form of a cursor, with `max_root_span_id`: the smallest `_xact_id` of the previous page.',
  max_root_span_id:
    'With `max_xact_id`: the smallest `root_span_id` among the rows with that `_xact_id`.',
  version: `Returns the rows as of this transaction id, ${xactIdSpellings}.`,
};

export const FetchParameters = exactly({
  limit: Type.Optional(fetchLimit),
  cursor: omittable(Text, fetchTexts.cursor),
  max_xact_id: omittable(XactIdText, fetchTexts.max_xact_id),
  max_root_span_id: omittable(Text, fetchTexts.max_root_span_id),
  version: omittable(XactIdText, fetchTexts.version),
});

const FetchFilter = component('FetchFilter', {
  type: Type.Literal('path_lookup', { description: 'The kind of filter.' }),
  path: Type.Array(Text, {
    ...atMost(limits.pathSteps),
    description: 'Names from a field of the row to the value.',
  }),
  value: Type.Unknown({ description: 'JSON value to match; null also matches an absent value.' }),
});

export const FetchBody = component(
  'FetchRequest',
  {
    limit: optional(Limit, 'Maximum number of traces; by default all.'),
    cursor: optional(Text, fetchTexts.cursor),
    max_xact_id: optional(XactIdText, fetchTexts.max_xact_id),
    max_root_span_id: optional(Text, fetchTexts.max_root_span_id),
    filters: optional(
      Type.Array(FetchFilter, atMost(limits.filters)),
      'Only rows that match all of these filters.',
    ),
    version: optional(XactIdText, fetchTexts.version),
  },
  {
    documented: never(
      alone('max_xact_id', 'max_root_span_id'),
      alone('max_root_span_id', 'max_xact_id'),
      both('cursor', 'max_xact_id'),
    ),
  },
);

export interface PathFilter {
  readonly type: 'path_lookup';
  readonly path: readonly string[];
  /** Keeps exact numbers and the order of keys. */
  readonly value: JsonValue;
}

/** Null and absent have the same meaning. */
export type FetchRequest = Omit<Static<typeof FetchBody>, 'filters'> & {
  readonly filters?: readonly PathFilter[] | null;
};

const ColumnTypeName = Type.Union(
  [
    Type.Literal('boolean'),
    Type.Literal('bigint'),
    Type.Literal('double'),
    Type.Literal('varchar'),
    Type.Literal('timestamp'),
    Type.Literal('json'),
  ],
  { description: 'Type of a column.' },
);

// The grammar has the rest.
const QueryText = Type.String({ documented: { minLength: 1 } });
const QueryObject = recordOf(Type.Unknown(), { documented: { required: ['from'] } });

/** Ignores unknown fields, which clients send. */
export const QueryBody = Type.Object(
  {
    query: Type.Union([QueryText, QueryObject], {
      description: 'The query, as text or as JSON.',
    }),
    fmt: optional(
      QueryFormatName,
      'Format of the answer; by default the content type that the header `Accept` prefers, or else `json`.',
    ),
    types: optional(
      recordOf(ColumnTypeName),
      'Parquet and Arrow: the types of columns by paths of JSON, such as `{"metadata.n": "bigint"}`. A value that does not fit is null, and the header `x-evalstore-misfits` counts such values.',
    ),
    tz_offset: optional(TzOffset, tzOffsetText),
    version: optional(XactIdText, `Reads the data as of this transaction id, ${xactIdSpellings}.`),
    audit_log: optional(
      Flag,
      'If true, prompts as sources have a row for each version instead of the latest only.',
    ),
    use_columnstore: optional(
      Flag,
      'If true and the sources have more than 20,000 buffered rows, flushes them to segments before reading, at most once per project and minute and never for a past version. The answer is the same; its header `x-evalstore-columnstore` reports what happened.',
    ),
    explain: optional(
      Type.Union([Flag, Type.Literal('analyze')]),
      'If true, `data` has not the rows of the query but how the server reads them: a row for each statement, with its SQL, files, and the plan of the engine. `"analyze"` also runs the query, and the plan has the time of each operator. Only for owners of an organisation.',
    ),
  },
  { title: 'QueryRequest' },
);

/** The body of a query whose answer is a file. */
export const DownloadBody = Type.Object(Type.Omit(QueryBody, ['explain']).properties, {
  title: 'DownloadRequest',
});

export const DownloadParameters = exactly({ token: omittable(Text, 'Token of the URL.') });

/** The body of a query on one experiment, which has no prompts. */
export const ExperimentQueryBody = Type.Object(
  Type.Omit(QueryBody, ['audit_log', 'explain']).properties,
  {
    title: 'ExperimentQueryRequest',
  },
);

/** A JSON query keeps exact numbers and the order of keys. */
export type QueryRequest = Readonly<Omit<Static<typeof QueryBody>, 'query'>> & {
  readonly query: string | JsonObject;
};
