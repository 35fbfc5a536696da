// The base of a new experiment: the latest experiment of the nearest commit in `ancestor_commits`.
import type { ObjectFields } from '../../catalog/header.js';
import type { ObjectKind } from '../../schema/resources/definition.js';
import { readableHeader } from '../access/access.js';
import type { KeyCaller, Services } from '../context.js';

/** Returns the id of the latest readable experiment of the nearest commit that has one; null if there is none. */
export async function baseAtCommits(
  services: Services,
  caller: KeyCaller,
  projectId: string,
  sent: ObjectFields,
): Promise<string | null> {
  const commits = (sent.get('ancestor_commits') ?? []) as readonly string[];
  if (commits.length === 0) return null;
  for (const found of await services.catalog.experimentsAt(projectId, commits)) {
    const base = readableHeader(services, caller, 'experiment', found);
    if (base !== undefined) return base.id;
  }
  return null;
}

/** Copies `base_experiment_id` to `base_exp_id` if that is absent. */
export function withBaseId(sent: ObjectFields): ObjectFields {
  const id = sent.get('base_experiment_id');
  return id === undefined || sent.has('base_exp_id')
    ? sent
    : new Map([...sent, ['base_exp_id', id]]);
}

/** Adds the base to the fields of a new experiment that names none. */
export async function withBase(
  services: Services,
  caller: KeyCaller,
  kind: ObjectKind,
  sent: ObjectFields,
): Promise<ObjectFields> {
  if (kind !== 'experiment' || sent.has('base_exp_id')) return sent;
  const projectId = (sent.get('project_id') as string).toLowerCase();
  const base = await baseAtCommits(services, caller, projectId, sent);
  return base === null ? sent : new Map([...sent, ['base_exp_id', base]]);
}
