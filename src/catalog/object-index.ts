// The headers of all objects in memory: by id, by kind in order of creation, by unique key, and by version.
import { resourceKinds } from '../schema/resources/table.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import type { ObjectHeader } from './header.js';

export interface ObjectIndex {
  readonly byId: Map<string, ObjectHeader>;
  /** Ids, oldest first, including deleted ones, which are valid list cursors. */
  readonly byKind: Map<ObjectKind, string[]>;
  /** Ids of live objects. */
  readonly byKey: Map<string, string>;
  /** All versions of objects of versioned kinds, oldest first, including the deletion. */
  readonly versions: Map<string, ObjectHeader[]>;
}

export const emptyIndex = (): ObjectIndex => ({
  byId: new Map(),
  byKind: new Map(),
  byKey: new Map(),
  versions: new Map(),
});

/** The fields that identify at most one live object. */
export type UniqueKey = Pick<ObjectHeader, 'kind' | 'orgId' | 'projectId' | 'name' | 'slug'> &
  Partial<Pick<ObjectHeader, 'datasetId'>>;

/** The id of the organisation, project or dataset in which the key is unique; empty if it is unique on the server. */
function scopeOf({ kind, orgId, projectId, datasetId }: UniqueKey): string {
  const { uniqueWithin } = resourceKinds[kind];
  if (uniqueWithin === 'server') return '';
  if (uniqueWithin === 'dataset') return datasetId ?? orgId;
  return uniqueWithin === 'project' ? (projectId ?? orgId) : orgId;
}

/** Null for kinds without a unique field. Names of organisations that differ only in case are the same one, as in requests. */
function keyOf(object: UniqueKey): string | null {
  const { kind } = object;
  const { uniqueBy } = resourceKinds[kind];
  if (uniqueBy === null) return null;
  const value = object[uniqueBy];
  const unique = kind === 'organization' ? value?.toLowerCase() : value;
  return JSON.stringify([kind, scopeOf(object), unique]);
}

/** Adds a header, or replaces the one with the same id. */
export function putHeader(index: ObjectIndex, header: ObjectHeader): void {
  const before = index.byId.get(header.id);
  if (before === undefined) {
    const ids = index.byKind.get(header.kind);
    if (ids === undefined) index.byKind.set(header.kind, [header.id]);
    else ids.push(header.id);
  } else if (!before.deleted) {
    index.byKey.delete(keyOf(before) ?? '');
  }
  index.byId.set(header.id, header);
  const key = keyOf(header);
  if (!header.deleted && key !== null) index.byKey.set(key, header.id);
}

/** Versions must be added in the order of their transaction ids. */
export function putVersion(index: ObjectIndex, header: ObjectHeader): void {
  const versions = index.versions.get(header.id);
  if (versions === undefined) index.versions.set(header.id, [header]);
  else versions.push(header);
}

/** The header as of a version, null for the latest; undefined before the object was created. */
export const headerAsOf = (
  index: ObjectIndex,
  id: string,
  version: bigint | null,
): ObjectHeader | undefined =>
  version === null
    ? index.byId.get(id)
    : index.versions.get(id)?.findLast(({ xactId }) => xactId !== null && xactId <= version);

/** The live object with this unique key. */
export function headerAt(index: ObjectIndex, key: UniqueKey): ObjectHeader | undefined {
  const id = index.byKey.get(keyOf(key) ?? '');
  return id === undefined ? undefined : index.byId.get(id);
}

/** Whether the object, its project and its dataset are not deleted. */
export function isReachable(index: ObjectIndex, header: ObjectHeader): boolean {
  const { projectId, datasetId } = header;
  const isInDataset = resourceKinds[header.kind].uniqueWithin === 'dataset';
  return (
    !header.deleted &&
    (projectId === null || isLive(index, projectId)) &&
    (!isInDataset || isLive(index, datasetId))
  );
}

const isLive = (index: ObjectIndex, id: string | null): boolean =>
  index.byId.get(id ?? '')?.deleted === false;

/** The ids of the objects in lists of the kind, oldest first, including deleted ones. */
export function idsOf(index: ObjectIndex, kind: ObjectKind): readonly string[] {
  const own = index.byKind.get(kind) ?? [];
  const others = index.byKind.get(resourceKinds[kind].alsoShows ?? kind) ?? [];
  if (others === own) return own;
  const createdOf = (id: string) => index.byId.get(id)?.created ?? 0n;
  return [...own, ...others].sort((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1));
}
