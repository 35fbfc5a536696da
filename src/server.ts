// Composition root: opens the parts in order, wires them to HTTP, and closes them in reverse order.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { bucketAddress } from './bucket/address.js';
import { BucketClient } from './bucket/client.js';
import { openAccounts } from './catalog/accounts.js';
import { AttachmentRecords } from './catalog/attachments.js';
import { BodyFiles } from './catalog/body-files.js';
import { Catalog } from './catalog/catalog.js';
import { JobRecords } from './catalog/jobs.js';
import { openSigningSecret } from './catalog/signing-secret.js';
import { BackupSocket } from './backup-socket.js';
import { storeSettings, type Config } from './config.js';
import { preparePrivateDirectory } from './private-directory.js';
import type { Writer } from './duckdb/writer.js';
import { createApp } from './http/app.js';
import { unsupportedOperations } from './http/sdk/unsupported.js';
import { answerBrokenRequests, refuseBroken } from './http/broken-requests.js';
import { Connections } from './http/connections.js';
import { docsOperations } from './http/docs.js';
import { operations } from './http/operations.js';
import { openFiles } from './open-files.js';
import { openWriter } from './open-writer.js';
import { headerBytesMax } from './schema/limits.js';
import { sweepAttachments } from './service/attachment/attachment-sweeps.js';
import type { Services } from './service/context.js';
import { startHourlyTasks, type HourlyTasks } from './service/hourly-tasks.js';
import { createRequestMetrics } from './service/request-metrics.js';
import { RunningQueries } from './service/running-queries.js';
import { openCluster } from './service/cluster/open-cluster.js';
import { startKeyUseWriter } from './service/access/key-uses.js';
import { expireEvents } from './service/removal/retention.js';
import { RemovalJobs } from './service/removal-jobs.js';
import { purgeProjects } from './service/object/project-purges.js';
import { DiskUsage } from './service/monitor/disk-usage.js';
import { isDeleted } from './service/table/catalog.js';
import { watchTime } from './service/time-watch.js';
import { createDownloads } from './service/download.js';
import {
  AttachmentFiles,
  EventStore,
  KeptFiles,
  type EventStoreOptions,
} from './store/event-store.js';

export interface RunningServer {
  readonly url: string;
  /** Flushes all buffered events and completes the background work. */
  settle(): Promise<void>;
  /**
   * Refuses new connections, finishes running requests within the grace period, and closes the store. Aborting `atOnce` ends
   * the grace period.
   */
  close(atOnce?: AbortSignal): Promise<void>;
}

/** Shows the key that the first start generates. Called as soon as the key is stored: a later error must not lose it. */
export type ShowKey = (key: string) => void;

export interface OpenedServices {
  /** The services without what is known when the server listens. */
  readonly services: Omit<Services, 'publicUrl' | 'isStopping'>;
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that they do not reuse one that is being closed. */
const keepAliveMs = 65_000;

/** The time limit for the headers of a request, and for the first request of a connection. */
const headersMs = 30_000;

const connectionSettings = {
  maxHeaderSize: headerBytesMax,
  // `refuseBroken` refuses these requests in a sentence.
  requireHostHeader: false,
  keepAliveTimeout: keepAliveMs,
  headersTimeout: headersMs,
  // No time limit for bodies that make progress; `Connections` closes the others.
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
};

type WithTasks = Pick<
  Services,
  'config' | 'catalog' | 'store' | 'attachments' | 'removals' | 'diskUsage' | 'log'
>;

const startTasks = ({ attachments, diskUsage, log, ...services }: WithTasks): HourlyTasks =>
  startHourlyTasks(
    [
      {
        failure: 'attachments cannot be removed',
        run: (nowMs) => sweepAttachments(attachments, nowMs),
      },
      {
        failure: 'deleted projects cannot be purged',
        run: (nowMs) => purgeProjects(services, nowMs),
      },
      {
        failure: 'expired events cannot be removed',
        run: (nowMs) => expireEvents(services, nowMs),
      },
      {
        failure: 'the data directory cannot be measured',
        run: () => Promise.resolve(diskUsage.refresh()),
      },
    ],
    log,
  );

interface RemovalServices extends Pick<Services, 'attachments' | 'catalog' | 'store' | 'log'> {
  readonly kept: KeptFiles;
}

const openRemovals = async (
  writer: Writer,
  { attachments, kept, ...services }: RemovalServices,
): Promise<RemovalJobs> =>
  RemovalJobs.open({
    ...services,
    records: await JobRecords.open(writer),
    releaseAttachments: async (events) => {
      await attachments.records.release(events);
      await sweepAttachments(attachments, Date.now());
    },
    forgetAnswers: () => kept.removeAll(),
  });

/** Settings of the store without an environment variable. */
export type StoreTuning = Pick<
  EventStoreOptions,
  'compaction' | 'segments' | 'chunks' | 'measureDisk' | 'bucketTimes' | 'cacheBytes' | 'hooks'
>;

const openBucket = async ({ bucket, bucketEndpoint: endpoint }: Config) =>
  bucket === null ? null : BucketClient.open(bucketAddress(bucket)!, { endpoint });

const openStore = async (
  writer: Writer,
  catalog: Catalog,
  config: Config,
  log: Logger,
  tuning: StoreTuning,
): Promise<EventStore> =>
  EventStore.open(writer, {
    ...storeSettings(config),
    lastXactId: catalog.lastXactId,
    flushRows: config.flushRows,
    flushSeconds: config.flushSeconds,
    writerMemoryMb: config.writerMemoryMb,
    maintenanceMemoryMb: config.maintenanceMemoryMb,
    diskReserveMb: config.diskReserveMb,
    history: {
      days: config.historyDays === 0 ? null : config.historyDays,
      // Experiments and snapshots name versions of datasets.
      keepsAll: (objectId) => catalog.header(objectId)?.kind === 'dataset',
    },
    bucket: await openBucket(config),
    tables: {
      isOn: config.tables === 'on',
      isDeleted: (objectId) => isDeleted({ catalog }, objectId),
    },
    ...tuning,
    hooks: {
      ...tuning.hooks,
      bucketFailed: (error) =>
        log.error({ err: error }, 'segments cannot be copied to the bucket or removed from it'),
      timed: (commit) => log.debug(commit, 'commit'),
      failed: (error) => log.error({ err: error }, 'background work on segments failed'),
      setAside: (moved) => log.warn(moved, 'a file that belongs to no segment was set aside'),
      damaged: (damage) =>
        log.error(damage, 'a file of a segment is missing or damaged: restore it from a backup'),
      purged: (segment) => log.info(segment, 'a segment of a deleted project was removed'),
      oversized: ({ error, ...row }) =>
        log.warn(
          { err: error, ...row },
          'a buffered event needs more memory than the settings allow: it is written with as much as it needs',
        ),
      reserve: ({ isRefusing, ...bytes }) =>
        isRefusing
          ? log.warn(bytes, 'the disk is almost full: inserts are refused until it has space')
          : log.info(bytes, 'the disk has space again: inserts are accepted'),
      limited: ({ error, ...limit }) =>
        log.warn(
          { err: error, ...limit },
          'a merge of segments ran out of memory: later merges are smaller',
        ),
    },
  });

/** @param checkPort fails before a key is made for a server that cannot listen */
export async function openServices(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
  showKey: ShowKey = () => {},
  checkPort: () => Promise<void> = () => Promise.resolve(),
): Promise<OpenedServices> {
  await preparePrivateDirectory(config.dataDir, log);
  const writer = await openWriter(config);
  try {
    await checkPort();
    await new BodyFiles(config.dataDir).removeUnfinished();
    const catalog = await Catalog.open(writer);
    const { accounts, generatedKey, isKeyDeleted } = await openAccounts(writer, catalog, config);
    if (generatedKey !== null) showKey(generatedKey);
    if (isKeyDeleted)
      log.error(
        'EVALSTORE_API_KEY: this key was deleted and is not valid, set another value or remove the variable',
      );
    const signingSecret = await openSigningSecret(writer);
    const attachments = {
      records: new AttachmentRecords(writer),
      files: await AttachmentFiles.open(config.dataDir),
    };
    const store = await openStore(writer, catalog, config, log, tuning);
    const kept = new KeptFiles(config.dataDir, () => store.hasTemporaryRoom());
    const diskUsage = new DiskUsage(config.dataDir);
    const removals = await openRemovals(writer, { attachments, kept, catalog, store, log });
    const tasks = startTasks({ config, catalog, store, attachments, removals, diskUsage, log });
    const uses = startKeyUseWriter(accounts, log);
    const cluster = await openCluster(config, store, log);
    const watch = watchTime(log);
    const backups = await BackupSocket.open(config.dataDir, (target) => store.pin(target), log);
    return {
      services: {
        config,
        accounts,
        catalog,
        store,
        attachments,
        downloads: createDownloads(kept),
        signingSecret,
        log,
        requestMetrics: createRequestMetrics(),
        diskUsage,
        runningQueries: new RunningQueries(log, config.slowQueryMs),
        removals,
        cluster,
      },
      close: async () => {
        await cluster?.close();
        await backups.close();
        watch.close();
        await removals.close();
        await tasks.close();
        await uses.close();
        await kept.removeAll();
        await store.close();
        await writer.close();
      },
    };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

const spellHost = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Idle connections stay open for this time if the next server takes over the socket: their next request is answered. */
const idleGraceMs = 2_000;

/** @param socket the descriptor of a listening socket; null to listen on the host and port */
async function listen(
  server: Server,
  { host, port }: Config,
  socket: number | null,
): Promise<AddressInfo> {
  if (socket === null) server.listen(port, host);
  else server.listen({ fd: socket });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const taken = `another process listens on ${spellHost(host)}:${port}`;
    throw new Error(`${taken}: set EVALSTORE_PORT to another port`, { cause: error });
  });
  return server.address() as AddressInfo;
}

/** @throws Error if another process listens on the port */
async function refuseTakenPort(config: Config): Promise<void> {
  const server = createServer();
  await listen(server, config, null);
  server.close();
  await once(server, 'close');
}

/**
 * @param socket the descriptor of a listening socket that outlives the server; null to listen on the host and port of `config`
 * @throws EngineError `locked` if another server uses the data directory
 */
export async function startServer(
  config: Config,
  log: Logger,
  tuning: StoreTuning = {},
  showKey: ShowKey = () => {},
  socket: number | null = null,
): Promise<RunningServer> {
  const opened = await openServices(config, log, tuning, showKey, async () => {
    if (socket === null) await refuseTakenPort(config);
  });
  const server = createServer(connectionSettings);
  answerBrokenRequests(server);
  const { budgets } = opened.services.requestMetrics;
  const connections = new Connections(
    server,
    config.stallSeconds * 1000,
    openFiles,
    budgets.connections,
  );
  try {
    const { address, port } = await listen(server, config, socket);
    const url = `http://${spellHost(socket === null ? config.host : address)}:${port}`;
    // No request can precede this: connections are accepted after this turn of the event loop.
    const services = {
      ...opened.services,
      publicUrl: config.publicUrl ?? url,
      isStopping: () => connections.isClosing,
    };
    const app = createApp(services, [...operations, ...docsOperations, ...unsupportedOperations]);
    connections.handle(refuseBroken(app.callback()));
    return {
      url,
      settle: () => services.store.flush(),
      close: async (atOnce) => {
        const idleMs = socket === null ? 0 : idleGraceMs;
        await connections.close({ graceMs: config.shutdownSeconds * 1000, idleMs, atOnce });
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
