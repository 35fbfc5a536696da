// Generated events -> what clients send that send one event at a time.
import type { GeneratedEvent } from '../generator/events.js';

export interface Request {
  /** As JSON. */
  readonly event: string;
  readonly isMerge: boolean;
  /** Whether the event brings `metrics.end`. */
  readonly isEnd: boolean;
}

const insert = (event: object, isEnd: boolean): Request => ({
  event: JSON.stringify(event),
  isMerge: false,
  isEnd,
});

export const singleRequests = (events: readonly GeneratedEvent[]): readonly Request[] =>
  events.map((event) => insert(event, true));

function startOf(event: GeneratedEvent): Request {
  const { output: _output, scores: _scores, metrics, ...start } = event;
  return insert({ ...start, metrics: { start: metrics['start'] } }, false);
}

const endOf = ({ id, output, scores, metrics }: GeneratedEvent): Request => ({
  event: JSON.stringify({ id, output, scores, metrics, _is_merge: true }),
  isMerge: true,
  isEnd: true,
});

/** What SDKs send: the row when the span starts, and its results when it ends, `lag` spans later. */
export function sdkRequests(events: readonly GeneratedEvent[], lag: number): readonly Request[] {
  const starts = events.map(startOf);
  const ends = events.map(endOf);
  return Array.from({ length: events.length + lag }, (_, index) => [
    ...starts.slice(index, index + 1),
    ...(index < lag ? [] : ends.slice(index - lag, index - lag + 1)),
  ]).flat();
}
