// The inventory of a segment's rows -> which paths get leaf columns, and the names of these.
import { jsonColumns, type JsonColumn } from '../../schema/event-columns.js';
import {
  pathKey,
  type ColumnPaths,
  type LeafColumns,
  type SegmentPaths,
} from '../../schema/event-relation.js';
import { hasEnginePath, type Leaf } from './leaf-columns.js';
import type { PathCount } from './path-count.js';
import type { Inventory } from './path-inventory.js';
import type { PathTypes } from './path-types.js';

/** What is known of a JSON column's paths: all that are listed, and the types of the candidates. */
export interface ColumnInventory extends Inventory {
  readonly types: readonly PathTypes[];
}

export type Inventories<T = ColumnInventory> = ReadonlyMap<JsonColumn, T>;

export interface LeafSelection {
  readonly leaves: readonly Leaf[];
  readonly paths: SegmentPaths;
}

/** Always worth columns; the others only where most rows have the path. */
const regularColumns: ReadonlySet<JsonColumn> = new Set([
  'scores',
  'metrics',
  'metadata',
  'span_attributes',
  'context',
  'classifications',
]);

/** The columns whose paths are listed at all. */
export const listedColumns: readonly JsonColumn[] = jsonColumns.filter(
  (column) => regularColumns.has(column) || ['input', 'output', 'expected'].includes(column),
);

const nameCharactersMax = 200;
/** Share of rows that need to have a path. */
const leastShare = { regular: 0.0002, other: 0.5 };

/** The paths whose types decide on leaf columns: somewhat more than get them in the end. */
export function leafCandidates(
  inventories: Inventories<Inventory>,
  rowCount: number,
  leafPathsMax: number,
): ReadonlyMap<JsonColumn, readonly (readonly string[])[]> {
  const candidates = [...inventories]
    .flatMap(([column, { counts }]) => Array.from(counts.values(), (path) => ({ column, path })))
    .filter(({ column, path }) => isFrequent(column, path, rowCount) && isNameable(path.steps))
    .sort((left, right) => right.path.rows - left.path.rows)
    .slice(0, leafPathsMax * 1.5);
  const byColumn = new Map<JsonColumn, readonly (readonly string[])[]>();
  for (const { column, path } of candidates)
    byColumn.set(column, [...(byColumn.get(column) ?? []), path.steps]);
  return byColumn;
}

export function selectLeaves(inventories: Inventories, leafPathsMax: number): LeafSelection {
  const chosen = [...inventories]
    .flatMap(([column, { types }]) => types.map((path) => ({ column, path })))
    .filter(({ path }) => isWorth(path))
    .sort(
      (left, right) =>
        scalars(right.path) - scalars(left.path) || compareKeys(left.path, right.path),
    )
    .slice(0, leafPathsMax);
  const unique = uniqueNames();
  const leaves = chosen.map(({ column, path }) => toLeaf(column, path, unique));
  return { leaves, paths: pathsOf(inventories, leaves) };
}

const scalars = ({ numbers, strings, booleans }: PathTypes): number => numbers + strings + booleans;

/** Keeps names the same from segment to segment. */
function compareKeys(left: PathTypes, right: PathTypes): number {
  const [first, second] = [pathKey(left.steps), pathKey(right.steps)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function isFrequent(column: JsonColumn, { rows }: PathCount, rowCount: number): boolean {
  return rows >= (regularColumns.has(column) ? leastShare.regular : leastShare.other) * rowCount;
}

const isNameable = (steps: readonly string[]): boolean =>
  steps.every(hasEnginePath) &&
  steps.join('/').length <= nameCharactersMax &&
  !/\p{Cc}/u.test(steps.join(''));

function isWorth(path: PathTypes): boolean {
  const fitting = scalars(path) - path.unfit;
  return fitting > 0 && fitting >= path.unfit + path.containers;
}

function toLeaf(column: JsonColumn, path: PathTypes, unique: (name: string) => string): Leaf {
  const name = [column, ...path.steps].join('/');
  const named = (count: number, suffix = '') => (count > 0 ? unique(name + suffix) : null);
  const columns: LeafColumns = {
    number: named(path.numbers),
    string: named(path.strings),
    boolean: named(path.booleans),
    elsewhere: named(path.containers + path.unfit, '~elsewhere'),
  };
  return { column, steps: path.steps, columns, checksNumbers: path.unfit > 0 && path.numbers > 0 };
}

/** Readers of Parquet do not agree on whether case matters in column names. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    let unique = name;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${name}~${number}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}

function pathsOf(inventories: Inventories, leaves: readonly Leaf[]): SegmentPaths {
  const paths = Array.from(inventories, ([column, { counts, complete }]) => {
    const own = leaves.filter((leaf) => leaf.column === column);
    const byKey = new Map(own.map(({ steps, columns }) => [pathKey(steps), columns]));
    const others = [...counts.keys()].filter((key) => !byKey.has(key));
    const entry: ColumnPaths = { leaves: byKey, textPaths: new Set(others), complete };
    return [column, entry] as const;
  });
  return Object.fromEntries(paths);
}
