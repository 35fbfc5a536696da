// An event of an insert request, checked and in the store's terms: what can be known without stored data.
import type { MergePath } from '../json/deep-merge.js';
import type { ArrayDelete } from './array-delete.js';
import type { JsonColumn } from '../schema/event-columns.js';

/** Undefined and missing keys: the client did not send the field. Null: it sent null. */
export interface IncomingEvent {
  readonly id: string;
  /** The id was made here, so that no row can have it yet. */
  readonly idGenerated: boolean;
  readonly isMerge: boolean;
  /** Paths from the event downwards at which a merge replaces. */
  readonly mergePaths: readonly MergePath[];
  /** A merge also takes the keys that one of a client's leaves out. */
  readonly mergesAllKeys?: boolean;
  /** A merge adds the tags to those of the row, instead of replacing them. */
  readonly unitesTags?: boolean;
  /** What is removed from arrays once the row is made. */
  readonly arrayDeletes?: readonly ArrayDelete[];
  readonly isDelete: boolean;
  /** Row id of the parent; its span fields become those of this row. */
  readonly parentId: string | null;
  /** Microseconds since 1970 in UTC; null for the time of the insert. */
  readonly created: bigint | null;
  readonly spanId: string | null;
  readonly rootSpanId: string | null;
  /** Null also for a list without entries. */
  readonly spanParents: readonly string[] | null | undefined;
  readonly tags: readonly string[] | null | undefined;
  readonly datasetRecordId: string | null | undefined;
  /** JSON text of the fields that were sent, null for JSON null. */
  readonly json: Partial<Record<JsonColumn, string | null>>;
  /** Some field is lossless: it holds exact numbers or ordered keys. */
  readonly lossless: boolean;
}
