// Parameters of lists, fetches and queries.
import { Type, type Static } from 'typebox';
import type { JsonValue } from '../json/json.js';
import { Flag, Limit, Text, Uuid, closed, optional } from './scalar.js';

/** Query parameters of every list; the filters of a kind are added to them. */
export const listParameters = {
  limit: Type.Optional(Limit),
  starting_after: Type.Optional(Uuid),
  ending_before: Type.Optional(Uuid),
  ids: Type.Optional(Type.Array(Uuid)),
  org_name: Type.Optional(Text),
};

/** Events of several objects of one kind, by the ids of the objects. */
export const EventsById = Type.Record(
  Type.String(),
  Type.Object({ events: Type.Array(Type.Unknown()) }, closed),
);

export const FetchParameters = Type.Object(
  {
    limit: Type.Optional(Limit),
    cursor: Type.Optional(Text),
    max_xact_id: Type.Optional(Text),
    max_root_span_id: Type.Optional(Text),
    version: Type.Optional(Text),
  },
  closed,
);

export const FetchFilter = Type.Object(
  {
    type: Type.Literal('path_lookup'),
    path: Type.Array(Text),
    value: Type.Unknown(),
  },
  closed,
);

export const FetchBody = Type.Object(
  {
    limit: optional(Limit),
    cursor: optional(Text),
    max_xact_id: optional(Text),
    max_root_span_id: optional(Text),
    filters: optional(Type.Array(FetchFilter)),
    version: optional(Text),
  },
  closed,
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
export const QueryBody = Type.Object({
  query: Text,
  fmt: optional(Type.Union([Type.Literal('json'), Type.Literal('parquet')])),
  // No place is further than a day from UTC.
  tz_offset: optional(Type.Integer({ minimum: -1440, maximum: 1440 })),
  version: optional(Text),
  use_columnstore: optional(Flag),
});

export type QueryRequest = Readonly<Static<typeof QueryBody>>;
