// Builds the row version of an event, without its transaction id and position.
import type { JsonText } from '../json/json-text.js';
import {
  type JsonColumn,
  jsonColumns,
  type ScalarColumn,
  scalarColumns,
} from '../schema/event-columns.js';
import type { EventObject, UncommittedRow } from '../schema/event-row.js';

/** A row version to store. Its JSON columns may be bytes. */
export type NewRow = Omit<UncommittedRow, JsonColumn> &
  Readonly<Record<JsonColumn, JsonText | null>>;

export type Scalars = Pick<NewRow, ScalarColumn>;

export interface SpanFields {
  readonly spanId: string;
  readonly rootSpanId: string;
  readonly spanParents: readonly string[] | null;
}

export interface RowContent {
  readonly id: string;
  readonly deleted: boolean;
  readonly lossless: boolean;
  /** Microseconds since 1970. */
  readonly created: bigint;
  readonly span: SpanFields;
  /** Absent ones are null. */
  readonly scalars: Partial<Scalars>;
  readonly json: Readonly<Partial<Record<JsonColumn, JsonText | null>>>;
}

type Draft = { -readonly [K in keyof NewRow]: NewRow[K] };

export function buildRow(object: EventObject, content: RowContent): NewRow {
  const { span, scalars, json } = content;
  const row = {
    _deleted: content.deleted,
    _lossless: content.lossless,
    object_kind: object.kind,
    object_id: object.id,
    project_id: object.projectId,
    org_id: object.orgId,
    id: content.id,
    created: content.created,
    span_id: span.spanId,
    root_span_id: span.rootSpanId,
    span_parents: span.spanParents,
    is_root: span.spanParents === null,
  } satisfies Omit<NewRow, JsonColumn | ScalarColumn> as Draft;
  // A spread of an object with them takes several times as long.
  for (const column of scalarColumns)
    (row as Record<ScalarColumn, unknown>)[column] = scalars[column] ?? null;
  for (const column of jsonColumns) row[column] = json[column] ?? null;
  return row;
}
