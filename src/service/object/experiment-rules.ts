// Rules for experiments: generated names, and the field `commit`, a copy of `repo_info.commit`.
import { randomBytes } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.js';
import type { ObjectFields } from '../../catalog/header.js';
import type { UniqueKey } from '../../catalog/object-index.js';
import type { JsonValue } from '../../json/json.js';
import { isJsonObject, memberOf } from '../../json/tree.js';
import { limits } from '../../schema/limits.js';

/** The name of a new object, and whether it must be unique. */
export interface NamedFields {
  readonly name: string;
  readonly fields: ObjectFields;
  readonly isNew: boolean;
}

const repoField = (fields: ObjectFields, name: string): JsonValue => {
  const repoInfo = fields.get('repo_info');
  return (isJsonObject(repoInfo) ? memberOf(repoInfo, name) : null) ?? null;
};

/** Copies `repo_info.commit` to `commit`. Objects without `repo_info` are unchanged. */
export const copyCommit = (fields: ObjectFields): ObjectFields =>
  fields.has('repo_info') ? new Map([...fields, ['commit', repoField(fields, 'commit')]]) : fields;

/** The stem is cut, though not within a surrogate pair, so that the name does not exceed the limit. */
const nameOf = (stem: string, suffix: string): string =>
  stem.slice(0, limits.names.max - suffix.length).replace(/[\ud800-\udbff]$/, '') + suffix;

/** The name of an experiment that was sent without one. */
function defaultName(fields: ObjectFields): string {
  const branch = repoField(fields, 'branch');
  const stem = typeof branch === 'string' && branch !== '' ? branch : 'experiment';
  return nameOf(stem, `-${Math.floor(Date.now() / 1000)}`);
}

/** Appends 8 random hex digits, which make the name unique. */
export function uniqueName(catalog: Catalog, place: UniqueKey): string {
  for (;;) {
    const name = nameOf(place.name, `-${randomBytes(4).toString('hex')}`);
    if (catalog.objectWithKey({ ...place, name }) === undefined) return name;
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
