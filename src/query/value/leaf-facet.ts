// JSON paths that an arm stores in leaf columns: the kinds of their values, and their facets over these columns.
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import {
  pathStorage,
  type EventArm,
  type EventRelation,
  type LeafColumns,
  type PathStorage,
} from '../../schema/event-relation.js';
import type { Step } from '../syntax/ast.js';
import type { Field } from '../bound/fields.js';
import { facetOfColumns, typedKinds } from './typed-columns.js';
import { jsonKinds, type Facet, type Kind } from './value.js';

export const storageOf = (arm: EventArm, field: Field, steps: readonly Step[]): PathStorage =>
  field.json === undefined ? 'text' : pathStorage(arm.paths, field.json, steps);

/** The kinds of values that a path has in any arm. */
export function storedKinds(
  { arms }: EventRelation,
  field: Field,
  steps: readonly Step[],
): readonly Kind[] {
  const present = new Set(arms.flatMap((arm) => kindsOf(storageOf(arm, field, steps))));
  return jsonKinds.filter((kind) => present.has(kind));
}

export const hasLeaves = ({ arms }: EventRelation, field: Field, steps: readonly Step[]): boolean =>
  arms.some((arm) => typeof storageOf(arm, field, steps) !== 'string');

function kindsOf(storage: PathStorage): readonly Kind[] {
  if (storage === 'absent') return [];
  if (storage === 'text' || storage.elsewhere !== null) return jsonKinds;
  return typedKinds.filter((kind) => storage[kind] !== null);
}

/** The facet for rows whose value is in a typed column. */
export const leafFacet = (leaf: LeafColumns, facet: Facet): Sql =>
  facetOfColumns(
    typedKinds.flatMap((kind) => {
      const name = leaf[kind];
      return name === null ? [] : [{ kind, column: identifier(name) }];
    }),
    facet,
  );

/** The condition for rows whose value has to be read from JSON text. The leaf must have an `elsewhere` column. */
export const elsewhereOf = ({ elsewhere }: LeafColumns): Sql =>
  elsewhere === null ? sql`false` : identifier(elsewhere);
