// The ids of the columns of row files. The same path and type has the same id in every segment, whatever the column is called there,
// so tables find their columns by it. An id is never given to something else.
import { createHash } from 'node:crypto';
import { identifier, join, sql, word, type Sql } from '../../duckdb/sql.js';
import { eventColumns, type EventColumn, type JsonColumn } from '../../schema/event-columns.js';
import type { LeafColumns, SegmentPaths } from '../../schema/event-relation.js';

export type LeafType = keyof LeafColumns;

/** A leaf column of a segment. */
export interface LeafColumn {
  readonly id: number;
  readonly column: JsonColumn;
  readonly steps: readonly string[];
  readonly type: LeafType;
  /** In the file. */
  readonly name: string;
}

const firstElementId = 201;
const firstStoreId = 301;
const firstLeafId = 1_000;
const leafIdBits = 30;

const eventColumnNames = Object.keys(eventColumns) as readonly EventColumn[];

/** The columns of a row file that no event has. */
export const storeColumnIds: ReadonlyMap<string, number> = new Map(
  ['_row', '_superseded_by', '_input_hash'].map((name, index) => [name, firstStoreId + index]),
);

export const eventColumnId = (column: EventColumn): number => eventColumnNames.indexOf(column) + 1;

/** The id of the elements of a list. */
export const elementId = (column: EventColumn): number =>
  firstElementId + eventColumnNames.indexOf(column);

/** A hash, so that it depends on nothing else: with 600 columns, two have the same id in one project of 6,000. */
export function leafId(column: JsonColumn, key: string, type: LeafType): number {
  const hash = createHash('sha256')
    .update(JSON.stringify([type, column, key]))
    .digest();
  return firstLeafId + (hash.readUInt32BE() >>> (32 - leafIdBits));
}

const leafTypes: readonly LeafType[] = ['number', 'string', 'boolean', 'elsewhere'];

export const leafColumnsOf = (paths: SegmentPaths): readonly LeafColumn[] =>
  Object.entries(paths).flatMap(([column, { leaves }]) =>
    Array.from(leaves).flatMap(([key, names]) =>
      leafTypes.flatMap((type) => {
        const name = names[type];
        if (name === null) return [];
        const id = leafId(column as JsonColumn, key, type);
        const steps = JSON.parse(key) as readonly string[];
        return [{ id, column: column as JsonColumn, steps, type, name }];
      }),
    ),
  );

const idOfEventColumn = (column: EventColumn): Sql => {
  const id = word(eventColumnId(column));
  const isList = eventColumns[column] === 'strings';
  return isList ? sql`{__duckdb_field_id: ${id}, element: ${word(elementId(column))}}` : id;
};

/** An option of COPY for a row file. Readers go by names if two of its leaf columns have the same id. */
export function fieldIds(paths: SegmentPaths): Sql {
  const leaves = leafColumnsOf(paths);
  if (new Set(leaves.map(({ id }) => id)).size < leaves.length) return sql``;
  const entries = [
    ...eventColumnNames.map((name) => [name, idOfEventColumn(name)] as const),
    ...Array.from(storeColumnIds, ([name, id]) => [name, word(id)] as const),
    ...leaves.map(({ name, id }) => [name, word(id)] as const),
  ];
  const list = entries.map(([name, id]) => sql`${identifier(name)}: ${id}`);
  return sql`, FIELD_IDS {${join(list)}}`;
}
