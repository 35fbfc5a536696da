// Retention: traces whose newest row version is older than the days that their project or organisation sets leave for good.
import type { Actor } from '../../catalog/audit-log.js';
import type { ObjectFields, ObjectHeader } from '../../catalog/header.js';
import { isJsonObject, plainJson } from '../../json/tree.js';
import { expiredEvents, someOlder } from '../../query/page/removed-rows.js';
import { feedbackObjectId } from '../../schema/feedback.js';
import type { RetentionSettings } from '../../schema/removal.js';
import type { Snapshot } from '../../store/event-store.js';
import { badRequest } from '../../errors.js';
import { requireObject, requirePrincipal } from '../access/access.js';
import type { Caller, Services } from '../context.js';
import { allRows } from '../query/read-rows.js';
import { jsonReply, type Reply } from '../reply.js';
import { everyVersion, previewRemoval, startRemoval, type Selection } from './jobs.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export type RetentionParts = Pick<Services, 'catalog' | 'store' | 'removals'>;

/** What expires in a project. */
interface Expiry {
  readonly days: number;
  /** Milliseconds since 1970, a whole hour: so a run removes what a dry run of the same hour names. */
  readonly cutoff: number;
  readonly objectIds: readonly string[];
}

function settingsOf(fields: ObjectFields): RetentionSettings {
  const settings = fields.get('settings') ?? null;
  return isJsonObject(settings) ? (plainJson(settings) as RetentionSettings) : {};
}

/** Null without retention. */
async function expiryOf(
  { catalog }: Pick<Services, 'catalog'>,
  { id, orgId }: ObjectHeader,
  nowMs: number,
): Promise<Expiry | null> {
  const own = settingsOf(await catalog.fields(id));
  const defaults = settingsOf(await catalog.fields(orgId));
  const days = own.retention_days ?? defaults.retention_days ?? null;
  if (days === null) return null;
  const kinds = own.retention_kinds ?? defaults.retention_kinds ?? ['project_logs'];
  const objectIds = kinds.flatMap((kind) =>
    kind === 'project_logs'
      ? [id]
      : catalog.ofKind(kind).flatMap((each) => (each.projectId === id ? [each.id] : [])),
  );
  return { days, cutoff: Math.floor(nowMs / hourMs) * hourMs - days * dayMs, objectIds };
}

/** Whether something has expired. Of segments without old rows, only the bounds of their times are read. */
async function hasExpired(
  snapshot: Snapshot,
  { cutoff, objectIds }: Expiry,
  signal: AbortSignal,
): Promise<boolean> {
  const micros = BigInt(cutoff) * 1000n;
  const range = { ...everyVersion, created: { from: null, to: micros - 1n } };
  const older = someOlder(snapshot.versions(objectIds, range), micros);
  const rows = await allRows(snapshot.stream(older, { queue: 'heavy', signal }));
  return rows.length > 0;
}

/** Calls `use` with the expired events, on a snapshot. */
async function onExpired<T>(
  { store }: RetentionParts,
  expiry: Expiry,
  signal: AbortSignal,
  use: (selection: Selection, isEmpty: boolean) => Promise<T>,
): Promise<T> {
  const snapshot = await store.snapshot();
  try {
    const { cutoff, objectIds } = expiry;
    const events = expiredEvents(
      snapshot.versions(objectIds, everyVersion),
      BigInt(cutoff) * 1000n,
      snapshot.versions(objectIds.map(feedbackObjectId), everyVersion),
    );
    const isEmpty = !(await hasExpired(snapshot, expiry, signal));
    return await use({ snapshot, events, signal }, isEmpty);
  } finally {
    await snapshot.release();
  }
}

const jobOf = (projectId: string, by: Actor | null) =>
  ({ kind: 'retention', projectId, objectId: projectId, by }) as const;

/**
 * The dry run.
 * @throws RequestError 403 for the project, 400 for an exceeded budget, 429 if too many queries wait
 */
export async function previewRetention(
  services: Services,
  caller: Caller,
  projectId: string,
  signal: AbortSignal,
): Promise<Reply> {
  const project = requireObject(services, caller, 'project', projectId);
  const expiry = await expiryOf(services, project, Date.now());
  const nothing = { rows: 0, bytes: 0 };
  const removed =
    expiry === null
      ? nothing
      : await onExpired(services, expiry, signal, async (selection, isEmpty) =>
          isEmpty ? nothing : previewRemoval(services, project.id, selection),
        );
  const cutoff = expiry === null ? null : new Date(expiry.cutoff).toISOString();
  return jsonReply(JSON.stringify({ cutoff, ...removed }), { 'cache-control': 'no-store' });
}

/** Starts a job for what has expired now. @throws RequestError as `previewRetention`, and 400 without retention */
export async function runRetention(
  services: Services,
  caller: Caller,
  projectId: string,
  signal: AbortSignal,
): Promise<Reply> {
  const by = requirePrincipal(caller);
  const project = requireObject(services, caller, 'project', projectId);
  const expiry = await expiryOf(services, project, Date.now());
  if (expiry === null)
    throw badRequest(
      'settings.retention_days: neither the project nor its organisation sets it, so nothing expires',
    );
  const id = await onExpired(services, expiry, signal, (selection) =>
    startRemoval(services, jobOf(project.id, by), selection),
  );
  return jsonReply(JSON.stringify({ id }));
}

/**
 * The hourly task: starts a job in each project in which something has expired, and lets merges keep rows together that expire together.
 * @param nowMs milliseconds since 1970
 * @throws the first error, after the jobs of the others
 */
export async function expireEvents(parts: RetentionParts, nowMs: number): Promise<void> {
  const { catalog, removals } = parts;
  const running = await removals.records.running();
  const isRunning = (id: string) =>
    running.some(({ kind, projectId }) => kind === 'retention' && projectId === id);
  const failures: unknown[] = [];
  const days = new Map<string, number>();
  for (const project of catalog.ofKind('project'))
    try {
      if (!catalog.isReachable(project)) continue;
      const expiry = await expiryOf(parts, project, nowMs);
      if (expiry !== null) days.set(project.id, expiry.days);
      if (expiry === null || isRunning(project.id)) continue;
      await onExpired(parts, expiry, removals.signal, async (selection, isEmpty) => {
        if (!isEmpty) await startRemoval(parts, jobOf(project.id, null), selection);
      });
    } catch (error) {
      failures.push(error);
    }
  parts.store.expire(days);
  if (failures.length > 0) throw failures[0];
}
