// Which columns a table has: those of events, and one for each typed path and type.
import {
  eventColumns,
  type ColumnType,
  type EventColumn,
  jsonColumns,
} from '../../schema/event-columns.js';
import {
  elementId,
  eventColumnId,
  leafColumnsOf,
  storeColumnIds,
  type LeafColumn,
  type LeafType,
} from '../segment/field-ids.js';
import type { Segment } from '../segment/segment.js';

interface ListType {
  readonly type: 'list';
  readonly 'element-id': number;
  readonly element: 'string';
  readonly 'element-required': false;
}

export interface Field {
  readonly id: number;
  readonly name: string;
  readonly required: false;
  readonly type: string | ListType;
}

/** Names of columns in files that have no ids. */
export interface NameMapping {
  readonly 'field-id': number;
  readonly names: readonly string[];
  readonly fields?: readonly NameMapping[];
}

export interface TableColumns {
  readonly fields: readonly Field[];
  readonly mapping: readonly NameMapping[];
}

/** The part of a segment that decides. */
export type WithPaths = Pick<Segment, 'paths' | 'rows'>;

/** Dead rows have delete files instead: engines reserve the name, and `count(*)` is the number of live rows. */
const leftOut: ReadonlySet<string> = new Set<EventColumn>(['_deleted']);

/** Times are in UTC. No engine reads the files' times without a zone as times with one. */
const eventTypes: Readonly<Record<Exclude<ColumnType, 'strings'>, string>> = {
  bigint: 'long',
  integer: 'int',
  string: 'string',
  boolean: 'boolean',
  timestamp: 'timestamp',
  json: 'string',
};

const leafTypes: Readonly<Record<LeafType, string>> = {
  number: 'double',
  string: 'string',
  boolean: 'boolean',
  elsewhere: 'boolean',
};

/** Ids of columns that no table has, from here on. */
const firstDroppedId = 1_500_000_000;

const eventNames = Object.keys(eventColumns) as readonly EventColumn[];

function eventField(name: EventColumn): Field {
  const kind = eventColumns[name];
  const list = { type: 'list', element: 'string', 'element-required': false } as const;
  const type = kind === 'strings' ? { ...list, 'element-id': elementId(name) } : eventTypes[kind];
  return { id: eventColumnId(name), name, required: false, type };
}

const eventFields = eventNames.filter((name) => !leftOut.has(name)).map(eventField);

const meaningOf = ({ column, steps, type }: LeafColumn): string =>
  JSON.stringify([column, steps, type]);

interface CountedLeaf extends LeafColumn {
  readonly meaning: string;
  rows: number;
}

/** The leaf columns of all segments by id, without the ids of several of them. */
function leavesById(segments: readonly WithPaths[]): ReadonlyMap<number, CountedLeaf> {
  const found = new Map<number, CountedLeaf>();
  const shared = new Set<number>();
  for (const { paths, rows } of segments)
    for (const leaf of leafColumnsOf(paths)) {
      const meaning = meaningOf(leaf);
      const known = found.get(leaf.id);
      if (known === undefined) found.set(leaf.id, { ...leaf, meaning, rows });
      else if (known.meaning === meaning) known.rows += rows;
      else shared.add(leaf.id);
    }
  for (const id of shared) found.delete(id);
  return found;
}

/** Values of a path of several types are mostly of the first one, which gets the name without a number. */
const byUse = (a: CountedLeaf, b: CountedLeaf): number =>
  jsonColumns.indexOf(a.column) - jsonColumns.indexOf(b.column) ||
  b.rows - a.rows ||
  (a.meaning < b.meaning ? -1 : 1);

const plainName = ({ column, steps, type }: LeafColumn): string =>
  [column, ...steps].join('/') + (type === 'elsewhere' ? '~elsewhere' : '');

/** The names of leaf columns by id. Those of `before` stay. Engines ignore case. */
function namesOf(
  leaves: ReadonlyMap<number, CountedLeaf>,
  before: readonly Field[],
): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const { id, name } of before) if (leaves.has(id)) names.set(id, name);
  const taken = new Set(
    [...names.values(), ...eventNames, ...storeColumnIds.keys()].map((name) => name.toLowerCase()),
  );
  for (const leaf of [...leaves.values()].sort(byUse)) {
    if (names.has(leaf.id)) continue;
    let name = plainName(leaf);
    for (let number = 2; taken.has(name.toLowerCase()); number++)
      name = `${plainName(leaf)}~${number}`;
    taken.add(name.toLowerCase());
    names.set(leaf.id, name);
  }
  return names;
}

function mappingOfEvent(name: EventColumn): NameMapping {
  const mapping = { 'field-id': eventColumnId(name), names: [name] };
  if (eventColumns[name] !== 'strings') return mapping;
  return { ...mapping, fields: [{ 'field-id': elementId(name), names: ['element'] }] };
}

/**
 * The mapping has every column of every file, since PyIceberg refuses files with others; and each with an id, since DuckDB reads NULL
 * otherwise. A name that means several columns means none.
 */
function mappingOf(
  segments: readonly WithPaths[],
  leaves: ReadonlyMap<number, CountedLeaf>,
): readonly NameMapping[] {
  const idsByName = new Map<string, Set<number>>();
  for (const { paths } of segments)
    for (const { id, name } of leafColumnsOf(paths))
      idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  const namesById = new Map<number, string[]>();
  let droppedId = firstDroppedId;
  for (const [name, [id = 0, ...others]] of idsByName) {
    const own = others.length === 0 && leaves.has(id) ? id : droppedId++;
    namesById.set(own, [...(namesById.get(own) ?? []), name]);
  }
  return [
    ...eventNames.map(mappingOfEvent),
    ...Array.from(storeColumnIds, ([name, id]) => ({ 'field-id': id, names: [name] })),
    ...Array.from(namesById, ([id, names]) => ({ 'field-id': id, names })),
  ];
}

/** @param before the fields of the table until now, in whose order the new ones begin */
export function tableColumns(
  segments: readonly WithPaths[],
  before: readonly Field[],
): TableColumns {
  const leaves = leavesById(segments);
  const leafFields = Array.from(namesOf(leaves, before), ([id, name]): Field => {
    const { type } = leaves.get(id)!;
    return { id, name, required: false, type: leafTypes[type] };
  });
  return { fields: [...eventFields, ...leafFields], mapping: mappingOf(segments, leaves) };
}

/** The largest id in the fields. */
export const lastIdOf = (fields: readonly Field[]): number =>
  fields.reduce(
    (last, { id, type }) => Math.max(last, id, typeof type === 'string' ? 0 : type['element-id']),
    0,
  );
