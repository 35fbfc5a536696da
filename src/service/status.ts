// The state of the server: its version and load, and the sizes of the projects that the caller may read.
import { formatXactId } from '../schema/xact-id.js';
import { may, requirePrincipal } from './access.js';
import type { Caller, Services } from './context.js';
import { jsonReply, type Reply } from './reply.js';

/** The start time of this process in milliseconds since 1970. */
export const started = Date.now() - process.uptime() * 1000;

export interface ServerVersion {
  readonly version: string;
  /** Null if it is unknown. */
  readonly commit: string | null;
}

/** @throws RequestError 401 without a key */
export function readableProjects(services: Services, caller: Caller) {
  const principal = requirePrincipal(caller);
  const { catalog, store } = services;
  const { projects } = store.facts();
  return catalog
    .ofKind('project')
    .filter(
      (header) =>
        catalog.isReachable(header) && may(services, principal, principal.permission, header),
    )
    .map(({ id, name }) => {
      const facts = projects.get(id);
      return {
        project_id: id,
        project_name: name,
        segments: facts?.segments ?? 0,
        rows: facts?.rows ?? 0,
        superseded_rows: facts?.supersededRows ?? 0,
        bytes: facts?.bytes ?? 0,
      };
    });
}

/** @throws RequestError 401 without a key */
export function serverStatus(services: Services, caller: Caller, version: ServerVersion): Reply {
  const { lastXactId, buffered, queries } = services.store.facts();
  return jsonReply(
    JSON.stringify({
      ...version,
      started: new Date(started).toISOString(),
      last_xact_id: formatXactId(lastXactId),
      buffered,
      queries,
      projects: readableProjects(services, caller),
    }),
  );
}
