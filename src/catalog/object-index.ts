// Headers of all objects in memory: by id, by kind in order of creation, and by unique name.
import { objectFacets } from '../resource/table.js';
import type { ObjectKind } from '../resource/definition.js';
import type { ObjectHeader } from './header.js';

export interface ObjectIndex {
  readonly byId: Map<string, ObjectHeader>;
  /** Ids, oldest first, deleted ones included: they still serve as list cursors. */
  readonly byKind: Map<ObjectKind, string[]>;
  readonly byName: Map<string, string>;
}

export const emptyIndex = (): ObjectIndex => ({
  byId: new Map(),
  byKind: new Map(),
  byName: new Map(),
});

/** What at most one live object has. */
export type UniquePlace = Pick<ObjectHeader, 'kind' | 'orgId' | 'projectId' | 'name'>;

/** The id of the organisation or project within which the object's name is unique. */
const scopeOf = ({ kind, orgId, projectId }: UniquePlace): string =>
  objectFacets[kind].uniqueWithin === 'project' ? (projectId ?? orgId) : orgId;

const keyOf = (place: UniquePlace): string =>
  JSON.stringify([place.kind, scopeOf(place), place.name]);

/** Adds a header, or replaces the one with its id. */
export function putHeader(index: ObjectIndex, header: ObjectHeader): void {
  const before = index.byId.get(header.id);
  if (before === undefined) {
    const ids = index.byKind.get(header.kind);
    if (ids === undefined) index.byKind.set(header.kind, [header.id]);
    else ids.push(header.id);
  } else if (!before.deleted) {
    index.byName.delete(keyOf(before));
  }
  index.byId.set(header.id, header);
  if (!header.deleted) index.byName.set(keyOf(header), header.id);
}

/** The live object in this place. */
export function headerAt(index: ObjectIndex, place: UniquePlace): ObjectHeader | undefined {
  const id = index.byName.get(keyOf(place));
  return id === undefined ? undefined : index.byId.get(id);
}

/** Live, and not inside a deleted project. */
export function isReachable(index: ObjectIndex, header: ObjectHeader): boolean {
  if (header.deleted) return false;
  if (header.projectId === null) return true;
  const project = index.byId.get(header.projectId);
  return project !== undefined && !project.deleted;
}
