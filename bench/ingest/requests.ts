// Generated events -> the request bodies of clients that send one event at a time.
import type { GeneratedEvent } from '../generator/events.js';

const body = (event: object): string => JSON.stringify({ events: [event] });

/** Ids of their own, so that a workload does not replace the rows of another. */
const renamed = (event: GeneratedEvent, prefix: string): GeneratedEvent => ({
  ...event,
  id: `${prefix}-${event.id}`,
});

export const singleRequests = (events: readonly GeneratedEvent[]): readonly string[] =>
  events.map((event) => body(renamed(event, 'single')));

/** What SDKs send: the row when the span starts, and its results when it ends, a few requests later. */
export function sdkRequests(events: readonly GeneratedEvent[], lag: number): readonly string[] {
  const starts = events.map((event) => {
    const { output: _output, scores: _scores, metrics, ...start } = renamed(event, 'sdk');
    return body({ ...start, metrics: { start: metrics['start'] } });
  });
  const ends = events.map((event) => {
    const { id, output, scores, metrics } = renamed(event, 'sdk');
    return body({ id, output, scores, metrics, _is_merge: true });
  });
  return Array.from({ length: events.length + lag }, (_, index) => [
    ...starts.slice(index, index + 1),
    ...(index < lag ? [] : ends.slice(index - lag, index - lag + 1)),
  ]).flat();
}
