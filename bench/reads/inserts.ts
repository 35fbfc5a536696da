// Single inserts at a constant rate beside the reads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkout } from '../http/sides.js';
import { logRow } from './rows.js';

export interface Inserts {
  /** Waits for the running inserts and returns how many there were. Throws the error of one that failed. */
  stop(): Promise<number>;
}

/** Inserts rows into the log of the project, from number `first` on. An insert does not wait for the one before it. */
export function startInserts(
  { client, projectId }: Checkout,
  perSecond: number,
  first: number,
): Inserts {
  const running: Promise<unknown>[] = [];
  const stopped = new AbortController();
  const insert = (row: number) =>
    client.post(`/v1/project_logs/${projectId}/insert`, JSON.stringify({ events: [logRow(row)] }));
  const start = performance.now();
  const sending = (async () => {
    while (!stopped.signal.aborted) {
      const due = ((performance.now() - start) * perSecond) / 1000;
      while (running.length < due) running.push(insert(first + running.length));
      await sleep(1000 / perSecond);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await sending;
      return (await Promise.all(running)).length;
    },
  };
}
