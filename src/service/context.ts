// The context of every use case: the services of the server, and the caller.
import type { Logger } from 'pino';
import type { Accounts, Principal } from '../catalog/accounts.js';
import type { AttachmentRecords } from '../catalog/attachments.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Config } from '../config.js';
import type { Permission } from '../schema/permission.js';
import type { AttachmentFiles, EventStore } from '../store/event-store.js';
import type { CursorReader } from '../query/cursor/page-cursor.js';
import type { RequestMetrics } from './request-metrics.js';
import type { RemovalJobs } from './removal-jobs.js';
import type { RunningQueries } from './running-queries.js';
import type { Downloads } from './download.js';
import type { DiskUsage } from './monitor/disk-usage.js';
import type { Cluster } from './cluster/cluster.js';

export type { Accounts, Principal };

/** The attachments of events: their records and their files. */
export interface Attachments {
  readonly records: AttachmentRecords;
  readonly files: AttachmentFiles;
}

export interface Services {
  readonly config: Config;
  readonly accounts: Accounts;
  readonly catalog: Catalog;
  readonly store: EventStore;
  readonly attachments: Attachments;
  readonly downloads: Downloads;
  /** The secret that signs page cursors, sessions and URLs of attachments. */
  readonly signingSecret: Uint8Array;
  readonly log: Logger;
  readonly requestMetrics: RequestMetrics;
  readonly diskUsage: DiskUsage;
  readonly runningQueries: RunningQueries;
  readonly removals: RemovalJobs;
  /** Null if no setting names one. */
  readonly cluster: Pick<Cluster, 'status' | 'explain' | 'run' | 'outcomes'> | null;
  /** The base URL of links: the configured one, or the address on which the server listens. */
  readonly publicUrl: string;
  /** Whether the server accepts no further connection, since it stops. */
  readonly isStopping: () => boolean;
}

/** The services that access decisions need. */
export type WithCatalog = Pick<Services, 'catalog'>;

/**
 * Reserves bytes of the memory for request bodies until the request ends.
 * @throws RequestError 503 if too little is left
 */
export type ReserveMemory = (bytes: number) => void;

/** A request that may read only public objects: without a key, or with one that has no permission for the object in the path. */
export interface Anonymous {
  readonly kind: 'anonymous';
  readonly hasKey: boolean;
}

/** The permission that the operation of a request needs, from the permission table. */
interface Needs {
  readonly permission: Permission;
  /** The id of the request, for the log and the audit log. */
  readonly requestId: string;
}

export type KeyCaller = Principal & Needs;

export type Caller = KeyCaller | (Anonymous & Needs);

/** The client of a request. Waiting reads take turns by client, and all requests of a key are of one client. */
export const clientOf = (caller: Caller): string => (caller.kind === 'key' ? caller.keyId : '');

/**
 * Cursors are valid for all keys of the same first organisation, and stay valid when the user joins another one. Those of requests
 * without a key are valid for such requests alone.
 */
export const cursorReader = ({ signingSecret }: Services, caller: Caller): CursorReader => ({
  secret: signingSecret,
  orgId: caller.kind === 'key' ? caller.orgIds[0]! : null,
});
