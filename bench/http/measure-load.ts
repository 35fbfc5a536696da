// Clients that work side by side -> processor time of the server, and how long it took.
import { secondsOf } from '../measure.js';
import type { Side } from './sides.js';

export interface Load {
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/** `client` resolves when the client of that number has sent all its requests. */
export async function measureLoad(
  side: Pick<Side, 'cpuSeconds'>,
  clients: number,
  client: (number: number) => Promise<void>,
): Promise<Load> {
  const before = await side.cpuSeconds();
  const seconds = await secondsOf(() =>
    Promise.all(Array.from({ length: clients }, (_, number) => client(number))),
  );
  return { cpuSeconds: (await side.cpuSeconds()) - before, seconds };
}
