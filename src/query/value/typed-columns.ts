// Values of several kinds that are stored in one column per kind.
import { join, sql, type Sql } from '../../duckdb/sql.js';
import { typeOf } from './column-type.js';
import {
  canonicalValue,
  jsonFacet,
  nullOf,
  scalarKind,
  scalarValue,
  type Facet,
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

/** The columns that a facet depends on. Facets without an entry depend on all columns. */
const kindsOfFacet: Partial<Record<Facet, readonly TypedColumn['kind'][]>> = {
  boolean: ['boolean'],
  number: ['number'],
  string: ['string'],
  timestamp: ['string'],
  measure: ['number', 'boolean'],
  interval: [],
  composite: ['composite'],
  elements: ['composite'],
};

export function facetOfColumns(columns: readonly TypedColumn[], facet: Facet): Sql {
  const kinds = kindsOfFacet[facet];
  const parts = columns
    .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    .map(({ kind, column }) =>
      kind === 'composite'
        ? facetOfComposite(column, facet)
        : scalarValue(kind, column).facet(facet),
    );
  const [only] = parts;
  if (only === undefined) return nullOf(facet);
  return parts.length === 1 ? only : sql`coalesce(${join(parts)})`;
}

/** A facet of an array or object from its text, which is canonical. */
const facetOfComposite = (text: Sql, facet: Facet): Sql =>
  facet === 'canonical' || facet === 'composite' ? text : jsonFacet(text, facet);

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
      columns: [value.facet(kind)],
      read: ([column = nullOf(kind)]) => scalarValue(kind, column),
    };
  return value.hasTypedColumns === true ? keyOfColumns(value) : keyOfText(value);
}

const keyOfText = (value: Value): Key => ({
  columns: [value.facet('canonical')],
  read: ([column = nullOf('canonical')]) => canonicalValue(column, value.kinds),
});

function keyOfColumns(value: Value): Key {
  const kinds = keyKinds.filter((kind) =>
    kind === 'composite' ? value.kinds.some(isComposite) : value.kinds.includes(kind),
  );
  return {
    columns: kinds.map((kind) => value.facet(kind)),
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
  facet: (facet) =>
    facetOfColumns(columns, facet === 'json' || facet === 'raw' ? 'canonical' : facet),
});
