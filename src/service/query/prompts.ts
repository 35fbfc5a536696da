// The sources `project_prompts` and `project_functions`: prompts and functions as rows.
import { badRequest } from '../../errors.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { everything } from '../../catalog/list-page.js';
import type { FilterBounds } from '../../query/filter-bounds.js';
import { promptRelation, type PromptVersion } from '../../query/catalog/prompts.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { promptCharactersMax } from '../../schema/limits.js';
import type { WithCatalog } from '../context.js';
import type { PromptSource } from './sources.js';

export interface PromptRead {
  readonly sources: readonly PromptSource[];
  /** The last visible transaction id. */
  readonly version: bigint;
  /** Whether to read all versions up to `version` instead of the latest one. */
  readonly isHistory: boolean;
}

/** @throws RequestError 400 if the versions are larger than a query may read */
async function bodiesOf(
  { catalog }: WithCatalog,
  versions: readonly ObjectHeader[],
): Promise<ReadonlyMap<ObjectHeader, string>> {
  const bodies = new Map<ObjectHeader, string>();
  let characters = 0;
  for await (const group of catalog.bodyGroups(versions))
    for (const [header, body] of group) {
      characters += body.length;
      if (characters > promptCharactersMax)
        throw badRequest(
          `project_prompts and project_functions: a query reads at most ${promptCharactersMax / 2 ** 20} MB of prompts and functions: narrow it down with a filter on "id"`,
        );
      bodies.set(header, body);
    }
  return bodies;
}

/** The prompts and functions that the caller may read now. */
export const visiblePrompts = (
  { catalog }: WithCatalog,
  sources: readonly PromptSource[],
): readonly ObjectHeader[] =>
  sources.flatMap(({ project: { id }, lists, isVisible }) =>
    catalog.list(lists, { ...everything, isVisible, where: { projectId: id } }),
  );

/**
 * Reads the prompts and functions within the bounds on ids.
 * @throws RequestError 400 if they are larger than a query may read
 */
export async function promptsFor(
  services: WithCatalog,
  { sources, version, isHistory }: PromptRead,
  { ids }: FilterBounds,
): Promise<EventRelation> {
  const { catalog } = services;
  const wanted = ids === undefined ? null : new Set(ids.map((id) => id.toLowerCase()));
  const headers = await catalog.afterChanges(() =>
    sources.flatMap(({ project: { id }, lists, isVisible }) =>
      catalog.list(lists, {
        ...everything,
        isVisible,
        where: { projectId: id },
        ids: wanted,
        version,
      }),
    ),
  );
  const read = [...new Set(headers.map(({ id }) => id))].flatMap((id) => {
    const versions = catalog.versions(id, version);
    return versions
      .map((header, index) => ({ header, action: index === 0 ? 'upsert' : 'merge' }) as const)
      .slice(isHistory ? 0 : -1);
  });
  const bodies = await bodiesOf(
    services,
    read.map(({ header }) => header),
  );
  const rows = read.map(({ header, action }): PromptVersion => {
    const { id, created } = header;
    return { id, xactId: header.xactId ?? 0n, created, body: bodies.get(header) ?? '{}', action };
  });
  return promptRelation(rows);
}
