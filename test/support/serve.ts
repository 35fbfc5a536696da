// An application with operations of the test's own, served in this process.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { createApp } from '../../src/http/app.js';
import type { Operation } from '../../src/http/operation.js';
import { nameOf, type PermissionTable } from '../../src/http/permission-table.js';
import { openServices } from '../../src/server.js';
import type { Services } from '../../src/service/context.js';

export interface Served {
  readonly url: string;
  readonly services: Services;
  /** The log lines so far. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Nobody needs a key for them, unless a table says otherwise. */
const allOpen = (operations: readonly Operation[]): PermissionTable =>
  Object.fromEntries(operations.map((operation) => [nameOf(operation), { where: 'open' }]));

export async function serve(
  dir: string,
  operations: readonly Operation[],
  permissions: PermissionTable = allOpen(operations),
): Promise<Served> {
  const lines: string[] = [];
  const log = pino(
    new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(line.toString());
        done();
      },
    }),
  );
  const config = readConfig({
    EVALSTORE_DATA_DIR: dir,
    EVALSTORE_API_KEY: 'test-key-of-tests',
    EVALSTORE_QUERY_MEMORY_MB: '512',
    EVALSTORE_WRONG_KEYS: '0',
  });
  const opened = await openServices(config, log);
  const services = { ...opened.services, publicUrl: 'http://127.0.0.1', isStopping: () => false };
  const server = createServer(createApp(services, operations, permissions).callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    services,
    close: async () => {
      await closeServer(server);
      await opened.close();
    },
  };
}

/** Called inside `describe`: the application of the suite, in a directory of its own. */
export function sharedApplication(operations: readonly Operation[]): () => Served {
  let directory: string;
  let served: Served;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'evalstore-'));
    served = await serve(directory, operations);
  });
  after(async () => {
    await served.close();
    await rm(directory, { recursive: true });
  });
  return () => served;
}
