// A validated event of an insert request: everything that is known without stored data.
import type { MergePath } from '../json/deep-merge.js';
import { jsonByteLength, type JsonText } from '../json/json-text.js';
import type { ArrayDelete } from './array-delete.js';
import type { JsonColumn } from '../schema/event-columns.js';
import type { Scalars } from './row.js';

/** Undefined or absent: the field was not sent. Null: it was sent as null. */
export interface IncomingEvent {
  readonly id: string;
  /** The server generated the id, so no row can have it yet. */
  readonly idGenerated: boolean;
  /** Of an OpenTelemetry span: its trace, in which `id` is unique. */
  readonly traceId?: string;
  /** Its place in a body that is no list, such as `line 3`. */
  readonly place?: string;
  readonly isMerge: boolean;
  /** Paths at which a merge replaces the value. */
  readonly mergePaths: readonly MergePath[];
  /** Whether a merge includes the keys that merges of clients omit. */
  readonly mergesAllKeys?: boolean;
  /** Whether a merge adds the tags to those of the row instead of replacing them. */
  readonly unitesTags?: boolean;
  /** Elements to remove from arrays after the merge. */
  readonly arrayDeletes: readonly ArrayDelete[];
  readonly isDelete: boolean;
  /** The id of the parent event, from which the span fields are derived. */
  readonly parentId: string | null;
  /** Microseconds since 1970 in UTC; null for the time of the insert. */
  readonly created: bigint | null;
  readonly spanId: string | null;
  readonly rootSpanId: string | null;
  /** Null also for an empty list. */
  readonly spanParents: readonly string[] | null | undefined;
  /** The scalars that were sent. */
  readonly scalars: Partial<Scalars>;
  /** The JSON text of fields that were sent; null for JSON null. */
  readonly json: Partial<Record<JsonColumn, JsonText | null>>;
  /** Whether some field holds exact numbers or ordered keys. */
  readonly lossless: boolean;
}

/** The name of the event at this place in errors. */
export const placedPath = (place: string): string => `${place}: event`;

/** The size of the JSON of an event in bytes. */
export const jsonBytesOf = ({ json }: IncomingEvent): number =>
  Object.values(json).reduce((sum, text) => sum + jsonByteLength(text ?? ''), 0);

/** The size of the texts of an event in bytes: its JSON, ids and scalars. */
export function textBytesOf(event: IncomingEvent): number {
  const { id, spanId, rootSpanId, spanParents, scalars } = event;
  const texts = [id, spanId, rootSpanId, ...(spanParents ?? []), ...Object.values(scalars).flat()];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), jsonBytesOf(event));
}
