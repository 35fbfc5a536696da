// What only experiments do: names that are made up, and the copied commit.
import { randomBytes } from 'node:crypto';
import type { Catalog } from '../catalog/catalog.js';
import type { ObjectFields } from '../catalog/header.js';
import type { UniquePlace } from '../catalog/object-index.js';
import type { JsonValue } from '../json/json.js';
import { isJsonObject, memberOf } from '../json/tree.js';

/** What an object is called, and whether that must be a name of its own. */
export interface NamedFields {
  readonly name: string;
  readonly fields: ObjectFields;
  readonly isNew: boolean;
}

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

/** The name with 8 random hex digits that make it free. */
export function uniqueName(catalog: Catalog, place: UniquePlace): string {
  for (;;) {
    const name = `${place.name}-${randomBytes(4).toString('hex')}`;
    if (catalog.holder({ ...place, name }) === undefined) return name;
  }
}

export function nameExperiment(sent: ObjectFields): NamedFields {
  const name = sent.get('name');
  const isNamed = typeof name === 'string';
  return {
    name: isNamed ? name : defaultName(sent),
    fields: copyCommit(sent),
    isNew: !isNamed || sent.get('ensure_new') === true,
  };
}
