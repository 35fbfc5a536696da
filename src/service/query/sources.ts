// The sources that a query names -> the objects whose events it reads.
import { QueryError } from '../../errors.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { isPromptSource, type QuerySource } from '../../query/syntax/ast.js';
import { resources } from '../../resource/table.js';
import type { EventObject } from '../../schema/event-row.js';
import { readableHeader, readableObject, unusable } from '../access.js';
import type { Caller, Services } from '../context.js';

export const everything = {
  ids: null,
  name: null,
  slug: null,
  version: null,
  projectName: null,
  startingAfter: null,
  endingBefore: null,
  limit: null,
};

/** Kinds of objects that are in a project and hold events. */
const eventKinds = resources.flatMap(({ objects, events }) =>
  objects === undefined || events === undefined || events.kind === 'project_logs'
    ? []
    : [events.kind],
);

/** The project's logs and every object in it that holds events. */
function objectsOfProject(
  services: Services,
  caller: Caller,
  projectId: string,
): readonly EventObject[] | undefined {
  const logs = readableObject(services, caller, 'project_logs', projectId);
  if (logs === undefined) return undefined;
  const objects = eventKinds.flatMap((kind) =>
    services.catalog
      .list(kind, { ...everything, orgId: logs.orgId, projectId: logs.id })
      .flatMap(({ id }) => readableObject(services, caller, kind, id) ?? []),
  );
  return [logs, ...objects];
}

/** A project, and what the query reads of it. */
export interface PromptSource {
  readonly project: ObjectHeader;
  /** Prompts are functions, too. */
  readonly kind: 'prompt' | 'function';
}

/**
 * The projects whose prompts or functions the query reads.
 * @throws QueryError for one that is absent, deleted or not permitted
 */
export const readablePrompts = (
  services: Services,
  caller: Caller,
  sources: readonly QuerySource[],
): readonly PromptSource[] =>
  sources.filter(isPromptSource).map(({ kind, id, at }) => {
    const project = readableHeader(services, caller, 'project', id);
    if (project === undefined) throw new QueryError(at, unusable('project', id));
    return { project, kind: kind === 'project_functions' ? 'function' : 'prompt' };
  });

/** @throws QueryError for a source that is absent, deleted, of another kind or not permitted */
export function readableSources(
  services: Services,
  caller: Caller,
  sources: readonly QuerySource[],
): readonly EventObject[] {
  const objects = sources.flatMap(({ kind, id, at }) => {
    if (kind === 'project_prompts' || kind === 'project_functions') return [];
    const found =
      kind === 'project'
        ? objectsOfProject(services, caller, id)
        : readableObject(services, caller, kind, id);
    if (found === undefined)
      throw new QueryError(at, unusable(kind === 'project_logs' ? 'project' : kind, id));
    return found;
  });
  return [...new Map(objects.map((object) => [object.id, object])).values()];
}
