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
import { facetOfColumns, type TypedKind } from './typed-columns.js';
import { jsonKinds, type Facet, type Kind } from './value.js';

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

export const hasLeaves = ({ arms }: EventRelation, field: Field, steps: readonly Step[]): boolean =>
  arms.some((arm) => typeof storageOf(arm, field, steps) !== 'string');

function kindsOf(storage: PathStorage): readonly Kind[] {
  if (storage === 'absent') return [];
  if (storage === 'text' || storage.elsewhere !== null) return jsonKinds;
  return leafKinds.filter((kind) => storage[kind] !== null);
}

const leafKinds: readonly TypedKind[] = ['boolean', 'number', 'string'];

/** The facet in the rows whose value is in one of the typed columns. */
export const leafFacet = (leaf: LeafColumns, facet: Facet): Sql =>
  facetOfColumns(
    leafKinds.flatMap((kind) => {
      const name = leaf[kind];
      return name === null ? [] : [{ kind, column: identifier(name) }];
    }),
    facet,
  );

/** Whether the row's value has to be read from its JSON text; the leaf has such rows. */
export const elsewhereOf = ({ elsewhere }: LeafColumns): Sql =>
  elsewhere === null ? sql`false` : identifier(elsewhere);
