// The state of the server: its version and load, and the sizes of the projects in which the caller may read everything.
import { unavailable } from '../../errors.js';
import { permissions } from '../../schema/permission.js';
import { formatXactId } from '../../schema/xact-id.js';
import { canInContainer, requirePrincipal } from '../access/access.js';
import type { Caller, KeyCaller, Services } from '../context.js';
import { jsonReply, type Reply } from '../reply.js';

/** The start time of this process in milliseconds since 1970. */
export const started = Date.now() - process.uptime() * 1000;

export interface ServerVersion {
  readonly version: string;
  /** Null if it is unknown. */
  readonly commit: string | null;
}

/** Numbers of the whole server, to which all organisations contribute, are only for owners of one. */
export const canSeeServer = ({ catalog }: Services, { userId, orgIds }: KeyCaller): boolean =>
  orgIds.some((orgId) => catalog.grants.owns(userId, orgId, permissions));

/** The types of the rows that the sizes of a project count. */
const countedTypes = ['project', 'project_log', 'experiment', 'dataset', 'prompt'] as const;

/** The sizes of the projects in which the caller may read everything. */
export function readableProjects(services: Services, caller: KeyCaller) {
  const { catalog, store } = services;
  const { projects } = store.stats();
  return catalog
    .ofKind('project')
    .filter(
      (header) =>
        catalog.isReachable(header) &&
        countedTypes.every((type) =>
          canInContainer(services, caller, type, { orgId: header.orgId, projectId: header.id }),
        ),
    )
    .map(({ id, name }) => {
      const stats = projects.get(id);
      return {
        project_id: id,
        project_name: name,
        segments: stats?.segments ?? 0,
        rows: stats?.rows ?? 0,
        superseded_rows: stats?.supersededRows ?? 0,
        bytes: stats?.bytes ?? 0,
      };
    });
}

/** The size of the files of all segments whose projects are deleted and not purged, in bytes. */
export function deletedBytes({ catalog, store }: Services): number {
  const { projects } = store.stats();
  return catalog
    .ofKind('project')
    .filter(({ deleted }) => deleted)
    .reduce((sum, { id }) => sum + (projects.get(id)?.bytes ?? 0), 0);
}

/**
 * Whether the server takes inserts for longer than its buffer lasts.
 * @throws RequestError 503 if the last flush failed
 */
export function readiness({ store }: Pick<Services, 'store'>): Reply {
  const { failedAt, isFailing } = store.stats().maintenance.flush;
  if (isFailing)
    throw unavailable(
      `not ready: the last flush failed at ${new Date(failedAt ?? 0).toISOString()}, the log of the server has the reason`,
    );
  return jsonReply(JSON.stringify({ status: 'ready' }));
}

const noNumbers = { buffered: null, queries: null, deleted_bytes: null };

/** @throws RequestError 401 without a key */
export function serverStatus(services: Services, caller: Caller, version: ServerVersion): Reply {
  const principal = requirePrincipal(caller);
  const { lastXactId, buffered, queries } = services.store.stats();
  const ofServer = canSeeServer(services, principal)
    ? { buffered, queries, deleted_bytes: deletedBytes(services) }
    : noNumbers;
  return jsonReply(
    JSON.stringify({
      ...version,
      started: new Date(started).toISOString(),
      last_xact_id: formatXactId(lastXactId),
      ...ofServer,
      projects: readableProjects(services, principal),
    }),
  );
}
