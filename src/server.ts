// Composition root: opens the parts in order, wires them to HTTP, and closes them in reverse order.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { openAccounts } from './catalog/accounts.js';
import { Catalog } from './catalog/catalog.js';
import type { Config } from './config.js';
import { Writer } from './duckdb/writer.js';
import { createApp } from './http/app.js';
import { answerBrokenRequests } from './http/broken-requests.js';
import { docsOperations } from './http/docs.js';
import { operations } from './http/operations.js';
import type { Services } from './service/context.js';
import { EventStore, type EventStoreOptions } from './store/event-store.js';

export interface RunningServer {
  readonly url: string;
  /** The key made at the first start, to be shown once; null when there is none to show. */
  readonly generatedKey: string | null;
  /** Moves all buffered events to segments, and does what else is to be done in the background. */
  settle(): Promise<void>;
  /** Refuses new connections, finishes what runs, and closes the store. */
  close(): Promise<void>;
}

export interface OpenedServices {
  /** All but what is known only when the server listens. */
  readonly services: Omit<Services, 'publicUrl'>;
  close(): Promise<void>;
}

// Lists take any number of ids in the query string.
const headerBytesMax = 2 ** 20;

/** Longer than clients keep idle connections in their pools: a client must not reuse one being closed. */
const keepAliveMs = 65_000;

const idleSweepMs = 50;

/** Threads for short write statements. */
const writerThreads = 1;

/** Settings of the store that no variable of the environment sets. */
export type StoreTuning = Pick<EventStoreOptions, 'compaction' | 'segments' | 'slices' | 'hooks'>;

const openStore = (
  writer: Writer,
  catalog: Catalog,
  config: Config,
  log: Logger,
  tuning: StoreTuning,
): Promise<EventStore> =>
  EventStore.open(writer, {
    lastXactId: catalog.lastXactId,
    dataDirectory: config.dataDir,
    queryMemoryMb: config.queryMemoryMb,
    queryThreads: config.queryThreads,
    queryTimeoutMs: config.queryTimeoutSeconds * 1000,
    queryConcurrency: config.queryConcurrency,
    queryQueueLength: config.queryQueue,
    flushRows: config.flushRows,
    flushSeconds: config.flushSeconds,
    writerMemoryMb: config.writerMemoryMb,
    maintenanceMemoryMb: config.maintenanceMemoryMb,
    ...tuning,
    hooks: {
      ...tuning.hooks,
      timed: (commit) => log.debug(commit, 'commit'),
      failed: (error) => log.error({ err: error }, 'background work on segments failed'),
      oversized: ({ error, ...row }) =>
        log.warn(
          { err: error, ...row },
          'a buffered event needs more memory than the settings allow: it is written with as much as it needs',
        ),
      limited: ({ error, ...limit }) =>
        log.warn(
          { err: error, ...limit },
          'merging segments ran out of memory: smaller ones from now on',
        ),
    },
  });

export async function openServices(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
): Promise<OpenedServices> {
  await mkdir(config.dataDir, { recursive: true });
  const writer = await Writer.open(path.join(config.dataDir, 'meta.duckdb'), {
    memoryMb: config.writerMemoryMb,
    threads: writerThreads,
  });
  try {
    const catalog = await Catalog.open(writer);
    const accounts = await openAccounts(writer, config);
    const store = await openStore(writer, catalog, config, log, tuning);
    return {
      services: { config, accounts, catalog, store, log },
      close: async () => {
        await store.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function stopListening(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.on('request', (_request, response) => response.setHeader('Connection', 'close'));
  server.close();
  // Connections that were busy become idle when their answer is sent, and would then be kept alive.
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
  await closed;
  clearInterval(sweep);
}

const spellHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** @throws EngineError `locked` when another server uses the data directory */
export async function startServer(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
): Promise<RunningServer> {
  const opened = await openServices(config, log, tuning);
  const server = createServer({ maxHeaderSize: headerBytesMax, keepAliveTimeout: keepAliveMs });
  answerBrokenRequests(server);
  try {
    const port = await listen(server, config.host, config.port);
    const url = `http://${spellHost(config.host)}:${port}`;
    // No request can come before: connections are taken after this turn of the event loop.
    const services = { ...opened.services, publicUrl: config.publicUrl ?? url };
    server.on('request', createApp(services, [...operations, ...docsOperations]).callback());
    return {
      url,
      generatedKey: opened.services.accounts.generatedKey,
      settle: () => services.store.flush(),
      close: async () => {
        await stopListening(server);
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
