// Resolves the sources that a query names to objects that the caller may read.
import { QueryError } from '../../errors.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { everything } from '../../catalog/list-page.js';
import { isAuditSource, isPromptSource, type QuerySource } from '../../query/syntax/ast.js';
import { resources } from '../../schema/resources/table.js';
import type { EventObject } from '../../schema/event-row.js';
import { auditPermission } from '../../schema/permission.js';
import { can, notFoundText, reachable, readableHeader } from '../access/access.js';
import { findEventObject } from '../access/event-objects.js';
import type { Caller, WithCatalog } from '../context.js';

/** The kinds of objects in a project that hold events, except its logs. */
const eventKinds = resources.flatMap(({ events }) =>
  events === undefined || events === 'project_logs' ? [] : [events],
);

/** The readable objects of a project that hold events, its logs first; undefined if the caller may not read the project. */
function objectsOfProject(
  services: WithCatalog,
  caller: Caller,
  projectId: string,
): readonly EventObject[] | undefined {
  const project = readableHeader(services, caller, 'project', projectId);
  if (project === undefined) return undefined;
  const logs = findEventObject(services, caller, 'project_logs', project.id);
  const objects = eventKinds.flatMap((kind) =>
    services.catalog
      .list(kind, { ...everything, isVisible: () => true, where: { projectId: project.id } })
      .flatMap(({ id }) => findEventObject(services, caller, kind, id) ?? []),
  );
  return logs === undefined ? objects : [logs, ...objects];
}

/** The first source of each kind and id. Resolving a source again would take time and find nothing else. */
function distinct<T extends QuerySource>(sources: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return sources.filter(({ kind, id }) => {
    const isNew = !seen.has(`${kind} ${id.toLowerCase()}`);
    seen.add(`${kind} ${id.toLowerCase()}`);
    return isNew;
  });
}

/** A project whose prompts, or functions including prompts, are the rows. */
export interface PromptSource {
  readonly project: ObjectHeader;
  readonly lists: 'prompt' | 'function';
  /** Whether the caller may read the prompt. */
  readonly isVisible: (prompt: ObjectHeader) => boolean;
}

/** @throws QueryError for a project that is absent, deleted or not permitted */
export const readablePrompts = (
  services: WithCatalog,
  caller: Caller,
  sources: readonly QuerySource[],
): readonly PromptSource[] =>
  distinct(sources.filter(isPromptSource)).map(({ kind, id, at }) => {
    const project = readableHeader(services, caller, 'project', id);
    if (project === undefined) throw new QueryError(at, notFoundText('project', id));
    const isVisible = (prompt: ObjectHeader) => can(services, caller, caller.permission, prompt);
    return { project, isVisible, lists: kind === 'project_functions' ? 'function' : 'prompt' };
  });

/**
 * The ids of the organisations whose audit logs are the rows.
 * @throws QueryError for an audit log that the caller may not read
 */
export const readableAudits = (
  services: WithCatalog,
  caller: Caller,
  sources: readonly QuerySource[],
): readonly string[] =>
  distinct(sources.filter(isAuditSource)).map(({ id, at }) => {
    const organisation = reachable(services, 'organization', id);
    if (organisation === undefined || !can(services, caller, auditPermission, organisation))
      throw new QueryError(at, notFoundText('organization', id));
    return organisation.id;
  });

/** @throws QueryError for a source that is absent, deleted, of another kind or not permitted */
export function readableSources(
  services: WithCatalog,
  caller: Caller,
  sources: readonly QuerySource[],
): readonly EventObject[] {
  const objects = distinct(sources).flatMap(({ kind, id, at }) => {
    if (kind === 'project_prompts' || kind === 'project_functions' || kind === 'audit_log')
      return [];
    const found =
      kind === 'project'
        ? objectsOfProject(services, caller, id)
        : findEventObject(services, caller, kind, id);
    if (found === undefined)
      throw new QueryError(at, notFoundText(kind === 'project_logs' ? 'project' : kind, id));
    return found;
  });
  return [...new Map(objects.map((object) => [object.id, object])).values()];
}
