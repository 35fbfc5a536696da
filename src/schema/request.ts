// Parameters of lists, fetches and queries.
import { Type, type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../json/json.js';
import { atMost, limits } from './limits.js';
import {
  AnyObject,
  Flag,
  Limit,
  Text,
  Uuid,
  closed,
  described,
  optional,
  recordOf,
} from './scalar.js';

/** Query parameters of every list; the filters of a kind are added to them. */
export const listParameters = {
  limit: Type.Optional(described(Limit, 'Most objects to answer; all when left out.')),
  starting_after: Type.Optional(
    described(
      Uuid,
      'Id of the last object of the previous page: answers the page after it. Not together with `ending_before`.',
    ),
  ),
  ending_before: Type.Optional(
    described(
      Uuid,
      'Id of the first object of the next page: answers the page before it. Not together with `starting_after`.',
    ),
  ),
  ids: Type.Optional(
    Type.Array(Uuid, {
      ...atMost(limits.ids),
      description: 'Only objects with these ids; repeat it for several.',
    }),
  ),
  org_name: Type.Optional(described(Text, 'Only objects of the organisation with this name.')),
};

/** Events of several objects of one kind, by the ids of the objects. */
export const EventsById = recordOf(
  Type.Object({ events: Type.Array(Type.Unknown(), atMost(limits.events)) }, closed),
  { maxProperties: limits.objects.max },
);

const fetchLimit = described(Limit, 'Most traces to answer; all when left out.');

const fetchTexts = {
  cursor: 'Opaque place from the `cursor` of the previous page: answers the page after it.',
  max_xact_id:
    'Former form of a cursor, with `max_root_span_id`: the smallest `_xact_id` of the previous page.',
  max_root_span_id:
    'With `max_xact_id`: the smallest `root_span_id` among the rows with that `_xact_id`.',
  version: 'Answers the rows as of this transaction id, in either spelling.',
};

export const FetchParameters = Type.Object(
  {
    limit: Type.Optional(fetchLimit),
    cursor: Type.Optional(described(Text, fetchTexts.cursor)),
    max_xact_id: Type.Optional(described(Text, fetchTexts.max_xact_id)),
    max_root_span_id: Type.Optional(described(Text, fetchTexts.max_root_span_id)),
    version: Type.Optional(described(Text, fetchTexts.version)),
  },
  closed,
);

export const FetchFilter = Type.Object(
  {
    type: Type.Literal('path_lookup', { description: 'The kind of filter.' }),
    path: Type.Array(Text, {
      ...atMost(limits.pathSteps),
      description: 'Names of fields, from the row inwards.',
    }),
    value: Type.Unknown({ description: 'What is at the path, as JSON; null matches absent, too.' }),
  },
  { ...closed, title: 'FetchFilter' },
);

export const FetchBody = Type.Object(
  {
    limit: optional(Limit, 'Most traces to answer; all when left out.'),
    cursor: optional(Text, fetchTexts.cursor),
    max_xact_id: optional(Text, fetchTexts.max_xact_id),
    max_root_span_id: optional(Text, fetchTexts.max_root_span_id),
    filters: optional(
      Type.Array(FetchFilter, atMost(limits.filters)),
      'Only rows that fit all of these filters.',
    ),
    version: optional(Text, fetchTexts.version),
  },
  { ...closed, title: 'FetchRequest' },
);

export interface PathFilter {
  readonly type: 'path_lookup';
  readonly path: readonly string[];
  /** With its exact numbers and its order of keys. */
  readonly value: JsonValue;
}

/** null and absent mean the same. */
export type FetchRequest = Omit<Static<typeof FetchBody>, 'filters'> & {
  readonly filters?: readonly PathFilter[] | null;
};

/** Unknown fields are ignored: clients of the interface send more than it names. */
export const QueryBody = Type.Object(
  {
    query: Type.Union([Text, AnyObject], {
      description: 'The query: a text, or the same as JSON.',
    }),
    fmt: optional(
      Type.Union([
        Type.Literal('json'),
        Type.Literal('jsonl'),
        Type.Literal('csv'),
        Type.Literal('parquet'),
        Type.Literal('arrow'),
      ]),
      'Format of the answer; `json` when left out.',
    ),
    tz_offset: optional(
      Type.Integer({ minimum: -1440, maximum: 1440 }),
      'Minutes west of UTC, of at most a day, by which the bucketing of times is shifted.',
    ),
    version: optional(Text, 'Queries the data as of this transaction id, in either spelling.'),
    audit_log: optional(
      Flag,
      'When true, prompts as sources have a row for each of their versions, not only for the last.',
    ),
    use_columnstore: optional(
      Flag,
      'When true, more than 20,000 buffered rows of the sources are moved to typed columns before they are read, at most once per project and minute and never for a past version. The rows of the answer are the same; its header `x-evalstore-columnstore` says what was done.',
    ),
  },
  { title: 'QueryRequest' },
);

/** A query that is JSON keeps its exact numbers and its order of keys. */
export type QueryRequest = Readonly<Omit<Static<typeof QueryBody>, 'query'>> & {
  readonly query: string | JsonObject;
};
