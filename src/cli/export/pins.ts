// The versions of datasets that something names: the pinned ones, which an import makes again.
import { memberOf } from '../../json/tree.js';
import { formatXactId, parseXactId } from '../../schema/xact-id.js';
import { textOf, type StoredObject } from './objects.js';

/** The fields that name a version of a dataset, by kind of the object that names it. */
const pinning: Readonly<Partial<Record<StoredObject['kind'], string>>> = {
  experiment: 'dataset_version',
  dataset_snapshot: 'xact_id',
};

export interface Pin {
  readonly datasetId: string;
  /** In decimal, of 19 digits. */
  readonly version: string;
}

/** Null for an object that names no version of a dataset. */
export function pinOf({ kind, object }: StoredObject): Pin | null {
  const field = pinning[kind];
  const named = field === undefined ? null : (memberOf(object, field) ?? null);
  const version = typeof named === 'string' ? parseXactId(named) : null;
  const datasetId = memberOf(object, 'dataset_id') ?? null;
  if (version === null || datasetId === null) return null;
  return {
    datasetId: textOf(object, 'dataset_id'),
    version: formatXactId(version).padStart(19, '0'),
  };
}

/** The pinned versions by the id of their dataset. */
export async function pinsOf(
  objects: AsyncIterable<StoredObject>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const pins = new Map<string, Set<string>>();
  for await (const object of objects) {
    const pin = pinOf(object);
    if (pin === null) continue;
    const known = pins.get(pin.datasetId) ?? new Set();
    pins.set(pin.datasetId, known.add(pin.version));
  }
  return new Map(Array.from(pins, ([id, versions]) => [id, [...versions].toSorted()]));
}
