// Starts jobs that remove events, and shows them.
import type { Sql } from '../../duckdb/sql.js';
import type { JobRecord, NewJob } from '../../catalog/jobs.js';
import { forbidden } from '../../errors.js';
import type { Snapshot } from '../../store/event-store.js';
import { can, reachable, requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { jsonReply, type Reply } from '../reply.js';

/** The range of all row versions. */
export const everyVersion = { from: null, to: null } as const;

/** What a job removes: a SELECT of (object_id, id) on a snapshot. */
export interface Selection {
  readonly snapshot: Snapshot;
  readonly events: Sql;
  readonly signal: AbortSignal;
}

type Parts = Pick<Services, 'removals' | 'store'>;

/**
 * Lists the events in a file, so that neither the job nor its record needs the condition, and calls `use` with the file and the
 * estimate of what the job removes.
 * @throws RequestError 400 for an exceeded budget, 429 if too many queries wait, 503 for a full disk
 */
async function withList<T>(
  { removals, store }: Parts,
  projectId: string,
  { snapshot, events, signal }: Selection,
  use: (listed: Pick<NewJob, 'id' | 'rows' | 'bytes'>) => Promise<T>,
): Promise<T> {
  const { id, file, remove } = removals.records.newFile();
  let isUsed = false;
  try {
    await snapshot.writeParquet(events, file, { queue: 'heavy', signal });
    const result = await use({ id, ...(await store.removable(projectId, file, signal)) });
    isUsed = (await removals.records.find(id)) !== undefined;
    return result;
  } finally {
    if (!isUsed) await remove();
  }
}

/** Returns the id of the job, which is on disk. Errors as `withList`. */
export const startRemoval = (
  services: Parts,
  job: Pick<NewJob, 'kind' | 'projectId' | 'objectId' | 'by'>,
  selection: Selection,
): Promise<string> =>
  withList(services, job.projectId, selection, async (listed) => {
    await services.removals.start({ ...job, ...listed });
    return listed.id;
  });

/** What a job with this selection would remove. Errors as `withList`. */
export const previewRemoval = (services: Parts, projectId: string, selection: Selection) =>
  withList(services, projectId, selection, async ({ rows, bytes }) => ({ rows, bytes }));

const timeText = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();

const shown = ({ id, kind, state, rows, bytes, started, finished, error }: JobRecord) => ({
  id,
  kind,
  state,
  rows,
  bytes,
  started: timeText(started),
  finished: timeText(finished),
  error,
});

/** @throws RequestError 401 without a key, 403 for a job that is unknown, or of objects that the caller may not read */
export async function getJob(services: Services, caller: Caller, id: string): Promise<Reply> {
  requirePrincipal(caller);
  const job = await services.removals.records.find(id);
  const header = job && services.catalog.header(job.objectId);
  const object = header && reachable(services, header.kind, header.id);
  if (
    job === undefined ||
    object === undefined ||
    !can(services, caller, caller.permission, object)
  )
    throw forbidden(`no job with the id "${id}" that this key may use`);
  return jsonReply(JSON.stringify(shown(job)), { 'cache-control': 'no-store' });
}
