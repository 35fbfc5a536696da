// The transaction ids of writes to objects of versioned kinds.
import type { ObjectKind } from '../resource/definition.js';
import { objectFacets } from '../resource/table.js';
import { nextXactId } from '../schema/xact-id.js';
import type { Services } from './context.js';

const larger = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/**
 * The id of the next write to an object of this kind, to be asked for inside `Catalog.change`: larger than
 * those of earlier versions and of all events stored so far. Events stored later within the same second may
 * have smaller ones, since the store counts by itself. Null for kinds that are not versioned.
 */
export async function nextVersion(services: Services, kind: ObjectKind): Promise<bigint | null> {
  if (!objectFacets[kind].isVersioned) return null;
  const { xactId: lastOfEvents } = await services.store.insert([]);
  return nextXactId(larger(services.catalog.lastXactId, lastOfEvents), Date.now() / 1000);
}
