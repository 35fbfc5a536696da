// The sources `project_prompts` and `project_functions`: prompts and functions as rows.
import { badRequest } from '../../errors.js';
import type { ObjectHeader } from '../../catalog/header.js';
import { everything } from '../../catalog/list-page.js';
import type { Lookups } from '../../query/lookups.js';
import { promptRelation, type PromptVersion } from '../../query/catalog/prompts.js';
import type { EventRelation } from '../../schema/event-relation.js';
import { promptBytesMax } from '../../schema/limits.js';
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
async function checkSize({ catalog }: WithCatalog, versions: readonly ObjectHeader[]) {
  if ((await catalog.versionBytes(versions)) > promptBytesMax)
    throw badRequest(
      `project_prompts and project_functions: a query reads at most ${promptBytesMax / 2 ** 20} MB of prompts and functions: narrow it down with a filter on "id"`,
    );
}

/**
 * Reads the prompts and functions that have the ids of `lookups`.
 * @throws RequestError 400 if they are larger than a query may read
 */
export async function promptsFor(
  services: WithCatalog,
  { sources, version, isHistory }: PromptRead,
  { ids }: Lookups,
): Promise<EventRelation> {
  const { catalog } = services;
  const wanted = ids === undefined ? null : new Set(ids.map((id) => id.toLowerCase()));
  const headers = await catalog.afterChanges(() =>
    sources.flatMap(({ project: { id }, lists, isVisible }) =>
      catalog.list(lists, { ...everything, isVisible, projectId: id, ids: wanted, version }),
    ),
  );
  const read = [...new Set(headers.map(({ id }) => id))].flatMap((id) => {
    const versions = catalog.versions(id, version);
    return versions
      .map((header, index) => ({ header, action: index === 0 ? 'upsert' : 'merge' }) as const)
      .slice(isHistory ? 0 : -1);
  });
  const found = read.map(({ header }) => header);
  await checkSize(services, found);
  const bodies = await catalog.versionBodies(found);
  const rows = read.map(({ header, action }): PromptVersion => {
    const xactId = header.xactId ?? 0n;
    return {
      id: header.id,
      xactId,
      created: header.created,
      body: bodies.get(xactId) ?? '{}',
      action,
    };
  });
  return promptRelation(rows);
}
