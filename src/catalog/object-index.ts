// Headers of all objects in memory: by id, by kind in order of creation, by unique key, and their versions.
import { objectFacets } from '../resource/table.js';
import type { ObjectKind } from '../resource/definition.js';
import type { ObjectHeader } from './header.js';

export interface ObjectIndex {
  readonly byId: Map<string, ObjectHeader>;
  /** Ids, oldest first, deleted ones included: they still serve as list cursors. */
  readonly byKind: Map<ObjectKind, string[]>;
  /** Ids of live objects. */
  readonly byKey: Map<string, string>;
  /** Of versioned kinds, every version, oldest first; what was deleted is one, too. */
  readonly versions: Map<string, ObjectHeader[]>;
}

export const emptyIndex = (): ObjectIndex => ({
  byId: new Map(),
  byKind: new Map(),
  byKey: new Map(),
  versions: new Map(),
});

/** What at most one live object has. */
export type UniquePlace = Pick<ObjectHeader, 'kind' | 'orgId' | 'projectId' | 'name' | 'slug'> &
  Partial<Pick<ObjectHeader, 'datasetId'>>;

/** The id of the organisation, project or dataset within which the object's key is unique; empty for the server. */
function scopeOf({ kind, orgId, projectId, datasetId }: UniquePlace): string {
  const { uniqueWithin } = objectFacets[kind];
  if (uniqueWithin === 'server') return '';
  if (uniqueWithin === 'dataset') return datasetId ?? orgId;
  return uniqueWithin === 'project' ? (projectId ?? orgId) : orgId;
}

/** Null for kinds of which several objects may have the same name. */
function keyOf(place: UniquePlace): string | null {
  const { uniqueBy } = objectFacets[place.kind];
  return uniqueBy === null ? null : JSON.stringify([place.kind, scopeOf(place), place[uniqueBy]]);
}

/** Adds a header, or replaces the one with its id. */
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

/** Versions are added in the order of their transaction ids. */
export function putVersion(index: ObjectIndex, header: ObjectHeader): void {
  const versions = index.versions.get(header.id);
  if (versions === undefined) index.versions.set(header.id, [header]);
  else versions.push(header);
}

/** The object as of a version, or as it is when that is null; undefined before it was created. */
export const headerAsOf = (
  index: ObjectIndex,
  id: string,
  version: bigint | null,
): ObjectHeader | undefined =>
  version === null
    ? index.byId.get(id)
    : index.versions.get(id)?.findLast(({ xactId }) => xactId !== null && xactId <= version);

/** The live object in this place. */
export function headerAt(index: ObjectIndex, place: UniquePlace): ObjectHeader | undefined {
  const id = index.byKey.get(keyOf(place) ?? '');
  return id === undefined ? undefined : index.byId.get(id);
}

/** Live, and not inside a deleted project or, of what is in a dataset, a deleted dataset. */
export function isReachable(index: ObjectIndex, header: ObjectHeader): boolean {
  const { projectId, datasetId } = header;
  const isInDataset = objectFacets[header.kind].uniqueWithin === 'dataset';
  return (
    !header.deleted &&
    (projectId === null || isLive(index, projectId)) &&
    (!isInDataset || isLive(index, datasetId))
  );
}

const isLive = (index: ObjectIndex, id: string | null): boolean =>
  index.byId.get(id ?? '')?.deleted === false;

/** Ids of the objects that lists of the kind show, oldest first, deleted ones included. */
export function idsOf(index: ObjectIndex, kind: ObjectKind): readonly string[] {
  const own = index.byKind.get(kind) ?? [];
  const others = index.byKind.get(objectFacets[kind].alsoShows ?? kind) ?? [];
  if (others === own) return own;
  const createdOf = (id: string) => index.byId.get(id)?.created ?? 0n;
  return [...own, ...others].sort((a, b) => (createdOf(a) < createdOf(b) ? -1 : 1));
}
