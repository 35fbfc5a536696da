// The ids of the rows of OpenTelemetry spans. A span id is unique only in its trace: where the row of another trace has it, the id is
// made of both.
import { bytesOfJson, stringOfJson } from '../json/json-text.js';
import { memberText } from '../json/member-text.js';
import { traceIdPath } from '../schema/otlp.js';
import type { IncomingEvent } from './incoming.js';
import type { NewRow } from './row.js';

/** The id of the row if another trace has the span id; undefined for an event that is no OpenTelemetry span. */
export const idInTrace = ({
  id,
  traceId,
}: Pick<IncomingEvent, 'id' | 'traceId'>): string | undefined =>
  traceId === undefined ? undefined : `${traceId}-${id}`;

/** What the choice between the two ids depends on. */
export interface StoredSpans {
  readonly isLive: (id: string) => boolean;
  /** The trace of the live row with the id; null if there is none. */
  readonly traceOf: (id: string) => Generator<void, string | null>;
}

/** The event with the id of its row. A span that is stored keeps its id. */
export function* withRowId(
  event: IncomingEvent,
  { isLive, traceOf }: StoredSpans,
): Generator<void, IncomingEvent> {
  const other = idInTrace(event);
  if (other === undefined) return event;
  if (!isLive(other)) {
    const trace = yield* traceOf(event.id);
    if (trace === null || trace === event.traceId) return event;
  }
  return { ...event, id: other };
}

/** The trace that the span of the row names. The row is in another one if its parent is a span of the SDKs. */
export function* traceOfRow({
  context,
  root_span_id,
}: Pick<NewRow, 'context' | 'root_span_id'>): Generator<void, string> {
  const found = context === null ? null : yield* memberText(bytesOfJson(context), traceIdPath);
  const named: unknown = found === null ? null : JSON.parse(stringOfJson(found));
  return typeof named === 'string' ? named : root_span_id;
}
