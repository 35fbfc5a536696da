// JSON paths that a branch stores in leaf columns: the kinds of their values, and their forms over these columns.
import { identifier, sql, type Sql } from '../../duckdb/sql.js';
import {
  pathStorage,
  type EventBranch,
  type EventRelation,
  type LeafColumns,
  type PathStorage,
} from '../../schema/event-relation.js';
import type { Step } from '../syntax/ast.js';
import type { Field } from '../bound/fields.js';
import { formOfColumns, typedKinds } from './typed-columns.js';
import { jsonKinds, type ValueForm, type Kind } from './value.js';

export const storageOf = (
  branch: EventBranch,
  field: Field,
  steps: readonly Step[],
): PathStorage =>
  field.json === undefined ? 'text' : pathStorage(branch.paths, field.json, steps);

/** The kinds of values that a path has in any branch. */
export function storedKinds(
  { branches }: EventRelation,
  field: Field,
  steps: readonly Step[],
): readonly Kind[] {
  const present = new Set(branches.flatMap((branch) => kindsOf(storageOf(branch, field, steps))));
  return jsonKinds.filter((kind) => present.has(kind));
}

export const hasLeaves = (
  { branches }: EventRelation,
  field: Field,
  steps: readonly Step[],
): boolean => branches.some((branch) => typeof storageOf(branch, field, steps) !== 'string');

function kindsOf(storage: PathStorage): readonly Kind[] {
  if (storage === 'absent') return [];
  if (storage === 'text' || storage.elsewhere !== null) return jsonKinds;
  return typedKinds.filter((kind) => storage[kind] !== null);
}

/** The form for rows whose value is in a typed column. */
export const leafForm = (leaf: LeafColumns, form: ValueForm): Sql =>
  formOfColumns(
    typedKinds.flatMap((kind) => {
      const name = leaf[kind];
      return name === null ? [] : [{ kind, column: identifier(name) }];
    }),
    form,
  );

/** The condition for rows whose value has to be read from JSON text. The leaf must have an `elsewhere` column. */
export const elsewhereOf = ({ elsewhere }: LeafColumns): Sql =>
  elsewhere === null ? sql`false` : identifier(elsewhere);
