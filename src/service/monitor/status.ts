// The state of the server: its version and load, and the sizes of the projects in which the caller may read everything.
import { ownsSome } from '../../catalog/accounts.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { unavailable } from '../../errors.js';
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
  ownsSome(catalog, userId, orgIds);

/** The types of the rows that the sizes of a project count. */
const countedTypes = ['project', 'project_log', 'experiment', 'dataset', 'prompt'] as const;

const canReadAll = (services: Services, caller: KeyCaller, { id, orgId }: ObjectHeader): boolean =>
  countedTypes.every((type) => canInContainer(services, caller, type, { orgId, projectId: id }));

/** The sizes of the projects in which the caller may read everything. */
export const readableProjects = (services: Services, caller: KeyCaller) =>
  sizesOf(services, (header) => (canReadAll(services, caller, header) ? header.name : null));

/** The sizes of all projects, those too that are deleted and not purged; no names of those in which the caller may not read everything. */
export function allProjects(services: Services, caller: KeyCaller) {
  const { projects } = services.store.stats();
  const nameOf = (header: ObjectHeader) =>
    canReadAll(services, caller, header) ? header.name : '';
  return sizesOf(services, nameOf, ({ id }) => projects.has(id));
}

/**
 * @param nameOf the name to show; null to leave the project out
 * @param isKept whether to show a deleted one
 */
function sizesOf(
  { catalog, store }: Services,
  nameOf: (header: ObjectHeader) => string | null,
  isKept: (header: ObjectHeader) => boolean = () => false,
) {
  const { projects } = store.stats();
  return catalog
    .ofKind('project')
    .filter((header) => catalog.isReachable(header) || isKept(header))
    .flatMap((header) => {
      const name = nameOf(header);
      return name === null ? [] : [{ id: header.id, name }];
    })
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
 * @throws RequestError 503 if the last flush failed, or inserts are refused for the reserve of the disk
 */
export function readiness({ store }: Pick<Services, 'store'>): Reply {
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
