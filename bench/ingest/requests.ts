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

/** What each connection sends, one after the other. */
export type Queues = readonly Iterator<Request>[];

/** Whichever connection is free takes the next event. */
export function singleQueues(events: readonly GeneratedEvent[], connections: number): Queues {
  const queue = events.map((event) => insert(event, true)).values();
  return Array.from({ length: connections }, () => queue);
}

function startOf(event: GeneratedEvent): Request {
  const { output: _output, scores: _scores, metrics, ...start } = event;
  return insert({ ...start, metrics: { start: metrics['start'] } }, false);
}

const endOf = ({ id, output, scores, metrics }: GeneratedEvent): Request => ({
  event: JSON.stringify({ id, output, scores, metrics, _is_merge: true }),
  isMerge: true,
  isEnd: true,
});

/** Spans of a connection that have started when the first of them ends. */
const spansOpen = 4;

/** The row when the span starts, and its results when it ends, by the same connection some spans later. */
function sdkRequests(events: readonly GeneratedEvent[]): readonly Request[] {
  const starts = events.map(startOf);
  const ends = events.map(endOf);
  return Array.from({ length: events.length + spansOpen }, (_, index) => [
    ...starts.slice(index, index + 1),
    ...(index < spansOpen ? [] : ends.slice(index - spansOpen, index - spansOpen + 1)),
  ]).flat();
}

/** What SDKs send: each connection has its own share of the spans. */
export const sdkQueues = (events: readonly GeneratedEvent[], connections: number): Queues =>
  Array.from({ length: connections }, (_, connection) =>
    sdkRequests(events.filter((_event, index) => index % connections === connection)).values(),
  );
