// The same single events sent to the bare handler: what the network, HTTP and JSON alone cost.
import { fileURLToPath } from 'node:url';
import { connect } from '../contenders/evalstore-client.js';
import { startProcess } from '../contenders/server-process.js';
import type { GeneratedEvent } from '../generator/events.js';
import { singleConnections } from './evalstore-ingest.js';
import { measureIngest, type Ingest } from './ingest.js';
import { singleRequests } from './requests.js';

export async function ingestBare(events: readonly GeneratedEvent[]): Promise<Ingest> {
  const handler = fileURLToPath(new URL('bare-handler.js', import.meta.url));
  const server = await startProcess(handler, {});
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
