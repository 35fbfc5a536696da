// The header Server-Timing of an answer: the milliseconds that the query took in total, waited and read.
import type { Snapshot } from '../../store/event-store.js';
import type { Caller } from '../context.js';

const metric = (name: string, milliseconds: number): string =>
  `${name};dur=${milliseconds.toFixed(1)}`;

/**
 * Returns no header for a caller without a key, who must not learn the load of the server.
 * @param started the time at which the request was read, by `performance.now()`
 */
export function timingHeaders(
  caller: Caller,
  { times }: Pick<Snapshot, 'times'>,
  started: number,
): Readonly<Record<string, string>> {
  if (caller.kind !== 'key') return {};
  const total = performance.now() - started;
  // An answer that is sent while it is read has read since its turn came.
  const read = times.read > 0 ? times.read : total - times.waited;
  const metrics = [metric('total', total), metric('wait', times.waited), metric('read', read)];
  return { 'server-timing': metrics.join(', ') };
}
