// The sizes of projects, and who may see which.
import { ownsSome } from '../../catalog/accounts.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { canInContainer } from '../access/access.js';
import type { KeyCaller, Services } from '../context.js';

/** Numbers of the whole server, to which all organisations contribute, are only for owners of one. */
export const canSeeServer = ({ catalog }: Services, { userId, orgIds }: KeyCaller): boolean =>
  ownsSome(catalog, userId, orgIds);

/** The types of the rows that the sizes of a project count. */
const countedTypes = ['project', 'project_log', 'experiment', 'dataset', 'prompt'] as const;

/** Whether the caller may read everything in the project. */
export const canReadAll = (
  services: Services,
  caller: KeyCaller,
  { id, orgId }: ObjectHeader,
): boolean =>
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
