// How clients that load much send it, whatever the contender: large requests on a few connections.
import { eventBatches, type Dataset } from '../generator/dataset.js';

export const bulkConnections = 8;
const bulkEvents = 1000;

/** As many batches at once as there are connections. */
export async function forEachBatch(
  dataset: Dataset,
  send: (lines: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const batches = eventBatches(dataset, bulkEvents);
  const connection = async () => {
    for await (const lines of batches) await send(lines);
  };
  await Promise.all(Array.from({ length: bulkConnections }, connection));
}

/** `send` gets the body of an insert. */
export const insertInBulk = (
  dataset: Dataset,
  send: (body: string) => Promise<unknown>,
): Promise<void> => forEachBatch(dataset, (lines) => send(`{"events":[${lines.join(',')}]}`));
