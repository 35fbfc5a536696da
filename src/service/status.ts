// The state of the server: its version and load, and the sizes of the projects that the caller may read.
import { formatXactId } from '../schema/xact-id.js';
import { may, requirePrincipal } from './access.js';
import type { Caller, Services } from './context.js';
import { jsonReply, type Reply } from './reply.js';

/** When this process began, in milliseconds since 1970. */
const started = Date.now() - process.uptime() * 1000;

export function serverStatus(
  services: Services,
  caller: Caller,
  version: { readonly version: string; readonly commit: string | null },
): Reply {
  const principal = requirePrincipal(caller);
  const { catalog, store } = services;
  const { lastXactId, buffered, queries, projects } = store.facts();
  const readable = catalog
    .ofKind('project')
    .filter(
      (header) =>
        catalog.isReachable(header) && may(services, principal, principal.permission, header),
    );
  return jsonReply(
    JSON.stringify({
      ...version,
      started: new Date(started).toISOString(),
      last_xact_id: formatXactId(lastXactId),
      buffered,
      queries,
      projects: readable.map(({ id, name }) => {
        const facts = projects.get(id);
        return {
          project_id: id,
          project_name: name,
          segments: facts?.segments ?? 0,
          rows: facts?.rows ?? 0,
          superseded_rows: facts?.supersededRows ?? 0,
          bytes: facts?.bytes ?? 0,
        };
      }),
    }),
  );
}
