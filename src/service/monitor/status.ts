// The state of the server: its version and load, and the sizes of the projects in which the caller may read everything.
import { unavailable } from '../../errors.js';
import { formatXactId } from '../../schema/xact-id.js';
import { requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { jsonReply, type Reply } from '../reply.js';
import { canSeeServer, readableProjects } from './project-sizes.js';
import { serverNumbers, type ServerNumbers } from './server-numbers.js';

/** The start time of this process in milliseconds since 1970. */
export const started = Date.now() - process.uptime() * 1000;

export interface ServerVersion {
  readonly version: string;
  /** Null if it is unknown. */
  readonly commit: string | null;
}

/**
 * Whether the server takes inserts for longer than its buffer lasts.
 * @throws RequestError 503 if the server stops, the last flush failed, or inserts are refused for the reserve of the disk
 */
export function readiness({ store, isStopping }: Pick<Services, 'store' | 'isStopping'>): Reply {
  if (isStopping()) throw unavailable('not ready: the server is stopping');
  const { disk, maintenance } = store.stats();
  const { failedAt, isFailing } = maintenance.flush;
  if (isFailing)
    throw unavailable(
      `not ready: the last flush failed at ${new Date(failedAt ?? 0).toISOString()}, the log of the server has the reason`,
    );
  if (disk.isRefusing)
    throw unavailable(
      `not ready: inserts are refused until ${Math.ceil(disk.reserve / 2 ** 20)} MB of the disk are free`,
    );
  return jsonReply(JSON.stringify({ status: 'ready' }));
}

const noNumbers = {
  buffered: null,
  queries: null,
  deleted_bytes: null,
  disk: null,
  maintenance: null,
  bucket: null,
  cluster: null,
};

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const shownNumbers = ({ buffered, queries, disk, maintenance, bucket }: ServerNumbers) => ({
  buffered: { rows: buffered.rows, bytes: buffered.bytes, age_seconds: buffered.age },
  queries,
  deleted_bytes: disk.deleted,
  disk: {
    free_bytes: disk.free,
    reserve_bytes: disk.reserve,
    folders: Object.fromEntries(disk.folders),
    growth_bytes_per_day: disk.growth,
    days_left: disk.daysLeft,
  },
  maintenance: Object.entries(maintenance).map(([task, times]) => ({
    task,
    runs: times.runs,
    failures: times.failures,
    last_seconds: times.runs === 0 ? null : times.lastSeconds,
    succeeded: isoOf(times.succeededAt),
    failed: isoOf(times.failedAt),
    is_failing: times.isFailing,
  })),
  bucket: bucket && {
    address: bucket.name,
    uploaded_segments: bucket.uploaded,
    pending_segments: bucket.pending.segments,
    pending_bytes: bucket.pending.bytes,
    removed_segments: bucket.removing,
    uploaded: isoOf(bucket.uploadedAt),
    copied: isoOf(bucket.copiedAt),
    failures: bucket.failures,
    failure: bucket.failure,
  },
});

function shownCluster({ cluster }: Services) {
  if (cluster === null) return null;
  const { checked, ...status } = cluster.status;
  return { ...status, checked: isoOf(checked) };
}

/** @throws RequestError 401 without a key */
export async function serverStatus(
  services: Services,
  caller: Caller,
  version: ServerVersion,
): Promise<Reply> {
  const principal = requirePrincipal(caller);
  const ofServer = canSeeServer(services, principal)
    ? { ...shownNumbers(await serverNumbers(services)), cluster: shownCluster(services) }
    : noNumbers;
  return jsonReply(
    JSON.stringify({
      ...version,
      started: new Date(started).toISOString(),
      last_xact_id: formatXactId(services.store.stats().lastXactId),
      ...ofServer,
      projects: readableProjects(services, principal),
    }),
  );
}
