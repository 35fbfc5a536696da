// How long a query took, for the header of its answer.
import type { Snapshot } from '../../store/event-store.js';
import type { Caller } from '../context.js';

const metric = (name: string, milliseconds: number): string =>
  `${name};dur=${milliseconds.toFixed(1)}`;

/**
 * Without a key nobody learns how busy the server is with other things.
 * @param started when the request was read, by `performance.now()`
 */
export function timingHeaders(
  caller: Caller,
  { times }: Pick<Snapshot, 'times'>,
  started: number,
): Readonly<Record<string, string>> {
  if (caller.kind !== 'key') return {};
  const metrics = [
    metric('total', performance.now() - started),
    metric('wait', times.waited),
    metric('read', times.read),
  ];
  return { 'server-timing': metrics.join(', ') };
}
