// Values of several kinds that are stored in one column per kind.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { typeOf } from './column-type.js';
import {
  canonicalValue,
  jsonForm,
  nullOf,
  scalarKind,
  scalarValue,
  type ValueForm,
  type Kind,
  type Value,
} from './value.js';

/** The kinds of JSON values that have an SQL type and an order. */
export const typedKinds = ['boolean', 'number', 'string'] as const;

export type TypedKind = (typeof typedKinds)[number];

/** A column with the values of one kind, NULL for values of other kinds. */
export interface TypedColumn {
  readonly kind: TypedKind | 'composite';
  readonly column: Sql;
}

/** The columns that a form depends on. Facets without an entry depend on all columns. */
const kindsOfForm: Partial<Record<ValueForm, readonly TypedColumn['kind'][]>> = {
  boolean: ['boolean'],
  number: ['number'],
  string: ['string'],
  timestamp: ['string'],
  measure: ['number', 'boolean'],
  interval: [],
  composite: ['composite'],
  elements: ['composite'],
};

export function formOfColumns(columns: readonly TypedColumn[], form: ValueForm): Sql {
  const kinds = kindsOfForm[form];
  const parts = columns
    .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    .map(({ kind, column }) =>
      kind === 'composite' ? formOfComposite(column, form) : scalarValue(kind, column).form(form),
    );
  const [only] = parts;
  if (only === undefined) return nullOf(form);
  return parts.length === 1 ? only : sql`coalesce(${join(parts)})`;
}

/** A form of an array or object from its text, which is canonical. */
const formOfComposite = (text: Sql, form: ValueForm): Sql =>
  form === 'canonical' || form === 'composite' ? text : jsonForm(text, form);

/** The key of a value, which equal values share, as columns. */
export interface Key {
  readonly columns: readonly Sql[];
  /** The value of a key that was stored in these columns, in the same order. */
  readonly read: (columns: readonly Sql[]) => Value;
}

/** The value itself if it has one kind, its typed columns if it has any, else canonical JSON. */
export function keyOf(value: Value): Key {
  const { columns, read } = untypedKey(value);
  return { columns, read: (names) => ({ ...read(names), ...typeOf(value) }) };
}

function untypedKey(value: Value): Key {
  const kind = scalarKind(value);
  if (kind !== null)
    return {
      columns: [value.form(kind)],
      read: ([column = nullOf(kind)]) => scalarValue(kind, column),
    };
  return value.hasTypedColumns === true ? keyOfColumns(value) : keyOfText(value);
}

const keyOfText = (value: Value): Key => ({
  columns: [value.form('canonical')],
  read: ([column = nullOf('canonical')]) => canonicalValue(column, value.kinds),
});

function keyOfColumns(value: Value): Key {
  const kinds = keyKinds.filter((kind) =>
    kind === 'composite' ? value.kinds.some(isComposite) : value.kinds.includes(kind),
  );
  return {
    columns: kinds.map((kind) => value.form(kind)),
    read: (columns) =>
      valueOfColumns(
        kinds.map((kind, index) => ({ kind, column: columns[index]! })),
        value.kinds,
      ),
  };
}

const keyKinds = [...typedKinds, 'composite'] as const;

const isComposite = (kind: Kind): boolean => kind === 'array' || kind === 'object';

const valueOfColumns = (columns: readonly TypedColumn[], kinds: readonly Kind[]): Value => ({
  kinds,
  isAtomic: true,
  form: (form) => formOfColumns(columns, form === 'json' || form === 'raw' ? 'canonical' : form),
});
