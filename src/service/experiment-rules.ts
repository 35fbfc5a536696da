// What only experiments do: names that are made up, the copied commit, the project they are in.
import { randomBytes } from 'node:crypto';
import type { Principal } from '../catalog/accounts.js';
import type { Catalog } from '../catalog/catalog.js';
import type { ObjectFields } from '../catalog/header.js';
import type { JsonValue } from '../json/json.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import type { ObjectKind } from '../resource/definition.js';
import { headerNamedInBody } from './access.js';
import type { Services } from './context.js';
import type { Draft } from './draft.js';

const repoField = (fields: ObjectFields, name: string): JsonValue => {
  const repoInfo = fields.get('repo_info');
  return (isJsonObject(repoInfo) ? memberOf(repoInfo, name) : null) ?? null;
};

/** `commit` repeats `repo_info.commit` after every change; objects without repository stay as they are. */
export const copyCommit = (fields: ObjectFields): ObjectFields =>
  fields.has('repo_info') ? new Map([...fields, ['commit', repoField(fields, 'commit')]]) : fields;

/** The name of an experiment that was sent without one. */
function defaultName(fields: ObjectFields): string {
  const branch = repoField(fields, 'branch');
  const stem = typeof branch === 'string' && branch !== '' ? branch : 'experiment';
  return `${stem}-${Math.floor(Date.now() / 1000)}`;
}

/** The draft's name with 8 random hex digits that make it free. */
export function uniqueName(catalog: Catalog, kind: ObjectKind, draft: Draft): string {
  for (;;) {
    const name = `${draft.name}-${randomBytes(4).toString('hex')}`;
    if (catalog.named(kind, draft.scopeId, name) === undefined) return name;
  }
}

/** @throws RequestError 400 for a project that may not be used */
export function experimentDraft(
  services: Services,
  principal: Principal,
  sent: ObjectFields,
): Draft {
  const id = sent.get('project_id') as string;
  const project = headerNamedInBody(services, principal, 'project', id, 'project_id');
  const sentName = sent.get('name');
  const isNamed = typeof sentName === 'string';
  return {
    kind: 'experiment',
    orgId: project.orgId,
    projectId: project.id,
    userId: principal.userId,
    scopeId: project.id,
    name: isNamed ? sentName : defaultName(sent),
    fields: copyCommit(sent),
    isNew: !isNamed || sent.get('ensure_new') === true,
  };
}
