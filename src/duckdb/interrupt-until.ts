// Stops whatever connections run, as long as it takes.
import type { Connection } from './connection.js';

export type Interruptible = Pick<Connection, 'interrupt'>;

const interruptEveryMs = 20;

/** Makes statements fail until `end`: one interrupt that falls between two statements stops neither. */
export async function interruptUntil(
  connections: ReadonlyMap<Interruptible, unknown>,
  end: Promise<unknown>,
): Promise<void> {
  const interruptAll = () => {
    for (const connection of connections.keys()) connection.interrupt();
  };
  interruptAll();
  const timer = setInterval(interruptAll, interruptEveryMs);
  await end.finally(() => clearInterval(timer));
}
