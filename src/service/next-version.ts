// The transaction ids of writes to objects of versioned kinds.
import type { ObjectKind } from '../resource/definition.js';
import { objectFacets } from '../resource/table.js';
import type { Services } from './context.js';

/**
 * The id of the next write to an object of this kind, to be asked for inside `Catalog.change`: in one order
 * with those of all other versions and of all events. Null for kinds that are not versioned.
 */
export const nextVersion = async (services: Services, kind: ObjectKind): Promise<bigint | null> =>
  objectFacets[kind].isVersioned ? services.store.mint() : null;
