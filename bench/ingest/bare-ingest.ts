// The same requests sent to servers that do next to nothing: what HTTP, JSON and the engine alone cost.
import { fileURLToPath } from 'node:url';
import { connect } from '../contenders/evalstore-client.js';
import { startProcess } from '../contenders/server-process.js';
import type { Dataset } from '../generator/dataset.js';
import type { GeneratedEvent } from '../generator/events.js';
import { singleConnections } from './evalstore-ingest.js';
import { secondsOf } from '../measure.js';
import { bulkConnections, insertInBulk } from './bulk.js';
import { measureIngest, type Ingest } from './ingest.js';
import { singleRequests } from './requests.js';

const moduleFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export async function ingestBare(events: readonly GeneratedEvent[]): Promise<Ingest> {
  const server = await startProcess(moduleFile('bare-handler.js'), {});
  const client = connect(server.url, '', singleConnections);
  try {
    return await measureIngest(
      { contender: 'bare handler', workload: 'single' },
      singleRequests(events),
      singleConnections,
      (body) => client.post('/', body),
    );
  } finally {
    await client.close();
    await server.stop();
  }
}

/** Seconds to store all events without checking any; `directory` takes its file. */
export async function loadBare(dataset: Dataset, directory: string): Promise<number> {
  const server = await startProcess(moduleFile('bare-store.js'), { BENCH_DIR: directory });
  const client = connect(server.url, '', bulkConnections);
  try {
    return await secondsOf(() => insertInBulk(dataset, (body) => client.post('/', body)));
  } finally {
    await client.close();
    await server.stop();
  }
}
