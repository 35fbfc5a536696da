// Purges projects: removes their events from disk when a number of days has passed since their deletion. Nobody can read these
// events: everything in a deleted project is unreachable, and no operation restores it.
import type { Catalog } from '../../catalog/catalog.js';
import type { Services } from '../context.js';

const dayMs = 24 * 3_600_000;

/**
 * @param nowMs milliseconds since 1970
 * @throws DamagedFileError after the purge of the others, if the file of a project is missing or damaged
 */
export async function purgeProjects(
  { catalog, store, config }: Pick<Services, 'catalog' | 'store' | 'config'>,
  nowMs: number,
): Promise<void> {
  if (config.purgeDays === 0) return;
  const deletedBefore = nowMs - config.purgeDays * dayMs;
  const { projects } = store.stats();
  const expired: string[] = [];
  const failures: unknown[] = [];
  for (const { id, deleted } of catalog.ofKind('project'))
    try {
      if (deleted && projects.has(id) && (await deletedAt(catalog, id)) <= deletedBefore)
        expired.push(id);
    } catch (error) {
      failures.push(error);
    }
  store.purge(expired);
  if (failures.length > 0) throw failures[0];
}

/** Milliseconds since 1970; NaN if the project has no valid time. */
async function deletedAt(catalog: Catalog, projectId: string): Promise<number> {
  const fields = await catalog.fields(projectId);
  const at = fields.get('deleted_at');
  return typeof at === 'string' ? Date.parse(at) : NaN;
}
