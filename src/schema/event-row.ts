// A stored row version: a value for every event column.
import type { EventColumn, eventColumns } from './event-columns.js';

interface JavaScriptTypes {
  bigint: bigint;
  integer: number;
  string: string;
  strings: readonly string[];
  boolean: boolean;
  timestamp: bigint;
  json: string;
}

type ValueOf<C extends EventColumn> = JavaScriptTypes[(typeof eventColumns)[C]];

type Nullable = Exclude<
  EventColumn,
  | '_xact_id'
  | '_position'
  | '_deleted'
  | '_lossless'
  | 'object_kind'
  | 'object_id'
  | 'project_id'
  | 'org_id'
  | 'id'
  | 'created'
  | 'span_id'
  | 'root_span_id'
  | 'is_root'
>;

/** `created` in microseconds since 1970; JSON columns as text, null for JSON null. */
export type EventRow = {
  readonly [C in EventColumn]: C extends Nullable ? ValueOf<C> | null : ValueOf<C>;
};

/** A row version without transaction id and position, which the committer assigns. */
export type UncommittedRow = Omit<EventRow, '_xact_id' | '_position'>;

export type EventObjectKind = 'experiment' | 'project_logs' | 'dataset';

/** The object of events. For project logs, `id` is the id of the project. */
export interface EventObject {
  /** `feedback`: comments and audit entries on the events of another object, or on a prompt. */
  readonly kind: EventObjectKind | 'feedback';
  readonly id: string;
  readonly projectId: string;
  readonly orgId: string;
}
