// Who takes the requests of loggers: the servers of `bench -- http`, and PostgreSQL where it is installed.
import { closeSides, openSides, type Side } from '../http/sides.js';
import { openPostgresSender } from './postgres-sender.js';

export interface Sender extends Pick<Side, 'name' | 'projectId' | 'cpuSeconds' | 'close'> {
  /** The body of a request to /logs3, whose rows are all merges or none is. Resolves when they are durable. */
  readonly send: (body: string, isMerge: boolean) => Promise<unknown>;
}

const overHttp = (side: Side): Sender => ({
  ...side,
  send: (body) => side.send('POST', '/logs3', body),
});

/** @param beside the directory of another checkout, built */
export async function openSenders(beside: string | undefined): Promise<readonly Sender[]> {
  const sides = await openSides(beside);
  try {
    return [...sides.map(overHttp), await openPostgresSender()];
  } catch (error) {
    const { message } = error as Error;
    if (!message.startsWith('postgres: not installed')) {
      await closeSides(sides);
      throw error;
    }
    console.log(`left out: ${message}\n`);
    return sides.map(overHttp);
  }
}
