// Servers that do next to nothing with the same requests: what HTTP, JSON and the engine alone cost.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ingester } from '../contenders/contender.js';
import { connect } from '../contenders/evalstore-client.js';
import { startProcess } from '../contenders/server-process.js';
import type { Dataset } from '../generator/dataset.js';
import { secondsOf } from '../measure.js';
import { bulkConnections, insertInBulk } from './bulk.js';

const warmingRequests = 5000;

const moduleFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export async function openBareHandler(connections: number): Promise<Ingester> {
  const server = await startProcess(moduleFile('bare-handler.js'), {});
  const client = connect(server.url, '', connections);
  const send = (event: string) => client.post('/', `{"events":[${event}]}`);
  // The other servers have been at work for long.
  for (let request = 0; request < warmingRequests; request += connections)
    await Promise.all(Array.from({ length: connections }, () => send('{"id":"warm"}')));
  return {
    send,
    stored: async () => null,
    close: async () => {
      await client.close();
      await server.stop();
    },
  };
}

/** Seconds to store all events without checking any; `directory` takes its file for the time. */
export async function loadBare(dataset: Dataset, directory: string): Promise<number> {
  const server = await startProcess(moduleFile('bare-store.js'), { BENCH_DIR: directory });
  const client = connect(server.url, '', bulkConnections);
  try {
    return await secondsOf(() => insertInBulk(dataset, (body) => client.post('/', body)));
  } finally {
    await client.close();
    await server.stop();
    for (const ending of ['', '.wal'])
      await rm(path.join(directory, `bare.duckdb${ending}`), { force: true });
  }
}
