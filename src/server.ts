// Composition root: opens the parts in order, wires them to HTTP, and closes them in reverse order.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Logger } from 'pino';
import { openAccounts } from './catalog/accounts.js';
import { AttachmentRecords } from './catalog/attachments.js';
import { Catalog } from './catalog/catalog.js';
import { openCursorSecret } from './catalog/cursor-secret.js';
import type { Config } from './config.js';
import { preparePrivateDirectory } from './private-directory.js';
import { Writer } from './duckdb/writer.js';
import { createApp } from './http/app.js';
import { unbuiltOperations } from './http/sdk/unbuilt.js';
import { answerBrokenRequests } from './http/broken-requests.js';
import { Connections } from './http/connections.js';
import { docsOperations } from './http/docs.js';
import { operations } from './http/operations.js';
import { refuseNewerDirectory } from './known-formats.js';
import { headerBytesMax } from './schema/limits.js';
import { startSweeps } from './service/attachment-sweeps.js';
import type { Services } from './service/context.js';
import { keepKeyUses } from './service/key-uses.js';
import { watchTime } from './service/time-watch.js';
import {
  AttachmentFiles,
  EventStore,
  refuseOldManifest,
  requireManifest,
  type EventStoreOptions,
} from './store/event-store.js';

export interface RunningServer {
  readonly url: string;
  /** The key made at the first start, to be shown once; null when there is none to show. */
  readonly generatedKey: string | null;
  /** Moves all buffered events to segments, and does what else is to be done in the background. */
  settle(): Promise<void>;
  /**
   * Refuses new connections, finishes what runs within the time that is set, and closes the store. `atOnce` ends that
   * time when it is aborted.
   */
  close(atOnce?: AbortSignal): Promise<void>;
}

export interface OpenedServices {
  /** All but what is known only when the server listens. */
  readonly services: Omit<Services, 'publicUrl'>;
  /** The key made at the first start, to be shown once; null when there is none to show. */
  readonly generatedKey: string | null;
  close(): Promise<void>;
}

/** Longer than clients keep idle connections in their pools: a client must not reuse one being closed. */
const keepAliveMs = 65_000;

/** A request has so long to send its headers, and a new connection its first request. */
const headersMs = 30_000;

const connectionSettings = {
  maxHeaderSize: headerBytesMax,
  keepAliveTimeout: keepAliveMs,
  headersTimeout: headersMs,
  // Bodies may take any time as long as they make progress.
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
};

/** Threads for short write statements. */
const writerThreads = 1;

/** Settings of the store that no variable of the environment sets. */
export type StoreTuning = Pick<
  EventStoreOptions,
  'compaction' | 'segments' | 'slices' | 'scrub' | 'hooks'
>;

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
      setAside: (moved) => log.warn(moved, 'a file that belongs to no segment was set aside'),
      damaged: (damage) =>
        log.error(damage, 'a file of a segment is missing or damaged: restore it from a backup'),
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

/**
 * @throws WrongManifest when the data directory holds more than its database knows, Error when a newer version wrote it; it is
 * unchanged then
 */
async function openWriter({ dataDir, writerMemoryMb }: Config): Promise<Writer> {
  await requireManifest(dataDir);
  const writer = await Writer.open(path.join(dataDir, 'meta.duckdb'), {
    memoryMb: writerMemoryMb,
    threads: writerThreads,
  });
  try {
    await refuseNewerDirectory(writer);
    await refuseOldManifest(writer, dataDir);
    return writer;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

export async function openServices(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
): Promise<OpenedServices> {
  await preparePrivateDirectory(config.dataDir, log);
  const writer = await openWriter(config);
  try {
    const catalog = await Catalog.open(writer);
    const { accounts, generatedKey } = await openAccounts(writer, catalog, config);
    const cursorSecret = await openCursorSecret(writer);
    const attachments = {
      records: new AttachmentRecords(writer),
      files: await AttachmentFiles.open(config.dataDir),
    };
    const store = await openStore(writer, catalog, config, log, tuning);
    const sweeps = startSweeps(attachments, log);
    const uses = keepKeyUses(accounts, log);
    const watch = watchTime(log);
    return {
      services: { config, accounts, catalog, store, attachments, cursorSecret, log },
      generatedKey,
      close: async () => {
        watch.close();
        await sweeps.close();
        await uses.close();
        await store.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const spellHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** @throws EngineError `locked` when another server uses the data directory */
export async function startServer(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
): Promise<RunningServer> {
  const opened = await openServices(config, log, tuning);
  const server = createServer(connectionSettings);
  answerBrokenRequests(server);
  const connections = new Connections(server, config.stallSeconds * 1000);
  try {
    const port = await listen(server, config.host, config.port);
    const url = `http://${spellHost(config.host)}:${port}`;
    // No request can come before: connections are taken after this turn of the event loop.
    const services = { ...opened.services, publicUrl: config.publicUrl ?? url };
    connections.handle(
      createApp(services, [...operations, ...docsOperations, ...unbuiltOperations]).callback(),
    );
    return {
      url,
      generatedKey: opened.generatedKey,
      settle: () => services.store.flush(),
      close: async (atOnce) => {
        await connections.close(config.shutdownSeconds * 1000, atOnce);
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
