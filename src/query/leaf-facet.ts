// A JSON path that an arm stores in typed leaf columns: what it can hold, and its facets over those columns.
import { identifier, join, sql, type Sql } from '../duckdb/sql.js';
import {
  pathStorage,
  type EventArm,
  type EventRelation,
  type LeafColumns,
  type PathStorage,
} from '../schema/event-relation.js';
import type { Step } from './ast.js';
import type { Field } from './fields.js';
import { jsonKinds, nullOf, scalarValue, type Facet, type Kind } from './value.js';

export const storageOf = (arm: EventArm, field: Field, steps: readonly Step[]): PathStorage =>
  field.json === undefined ? 'text' : pathStorage(arm.paths, field.json, steps);

/** The kinds that a path has in any of the arms. */
export function storedKinds(
  { arms }: EventRelation,
  field: Field,
  steps: readonly Step[],
): readonly Kind[] {
  const present = new Set(arms.flatMap((arm) => kindsOf(storageOf(arm, field, steps))));
  return jsonKinds.filter((kind) => present.has(kind));
}

function kindsOf(storage: PathStorage): readonly Kind[] {
  if (storage === 'absent') return [];
  if (storage === 'text' || storage.elsewhere !== null) return jsonKinds;
  return leafKinds.filter((kind) => storage[kind] !== null);
}

type LeafKind = 'boolean' | 'number' | 'string';

const leafKinds: readonly LeafKind[] = ['boolean', 'number', 'string'];

/** Which of the columns make up a facet; the others follow from all of them. */
const kindsOfFacet: Partial<Record<Facet, readonly LeafKind[]>> = {
  boolean: ['boolean'],
  number: ['number'],
  string: ['string'],
  timestamp: ['string'],
  measure: ['number', 'boolean'],
  interval: [],
  elements: [],
};

/** The facet in the rows whose value is in one of the typed columns. */
export function leafFacet(leaf: LeafColumns, facet: Facet): Sql {
  const parts = (kindsOfFacet[facet] ?? leafKinds).flatMap((kind) => {
    const name = leaf[kind];
    return name === null ? [] : [scalarValue(kind, identifier(name)).facet(facet)];
  });
  const [only] = parts;
  if (only === undefined) return nullOf(facet);
  return parts.length === 1 ? only : sql`coalesce(${join(parts)})`;
}

/** Whether the row's value has to be read from its JSON text; the leaf has such rows. */
export const elsewhereOf = ({ elsewhere }: LeafColumns): Sql =>
  elsewhere === null ? sql`false` : identifier(elsewhere);
