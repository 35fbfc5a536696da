// Chooses the JSON paths of a segment that get leaf columns, and names these columns.
import { hasEnginePath } from '../../duckdb/json-path.js';
import { jsonColumns, type JsonColumn } from '../../schema/event-columns.js';
import {
  pathKey,
  type ColumnPaths,
  type LeafColumns,
  type SegmentPaths,
} from '../../schema/event-relation.js';
import type { Leaf } from './leaf-columns.js';
import type { FoundPath, FoundPaths } from './path-tree.js';

export interface LeafSelection {
  readonly leaves: readonly Leaf[];
  readonly paths: SegmentPaths;
}

/** Columns whose paths always get leaf columns. Paths of other columns do if most rows have them. */
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
/** The share of rows that must have a path for it to get leaf columns. */
const leastShare = { regular: 0.0002, other: 0.5 };

/** @param found by column; one without objects may be left out */
export function selectLeaves(
  found: ReadonlyMap<JsonColumn, FoundPaths>,
  rowCount: number,
  leafPathsMax: number,
): LeafSelection {
  const chosen = [...found]
    .flatMap(([column, { paths }]) => paths.map((path) => ({ column, path })))
    .filter(({ column, path }) => isFrequent(column, path, rowCount) && isNameable(path.steps))
    .filter(({ path }) => isWorth(path))
    .sort(
      (left, right) =>
        scalars(right.path) - scalars(left.path) || compareSteps(left.path.steps, right.path.steps),
    )
    .slice(0, leafPathsMax);
  const unique = uniqueNames();
  const leaves = chosen.map(({ column, path }) => toLeaf(column, path, unique));
  return { leaves, paths: pathsOf(found, leaves) };
}

const scalars = ({ numbers, strings, booleans }: FoundPath): number => numbers + strings + booleans;

/** Keeps names the same from segment to segment. */
export function compareSteps(left: readonly string[], right: readonly string[]): number {
  const [first, second] = [pathKey(left), pathKey(right)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function isFrequent(column: JsonColumn, { rows }: FoundPath, rowCount: number): boolean {
  return rows >= (regularColumns.has(column) ? leastShare.regular : leastShare.other) * rowCount;
}

const isNameable = (steps: readonly string[]): boolean =>
  steps.every(hasEnginePath) &&
  steps.join('/').length <= nameCharactersMax &&
  !/\p{Cc}/u.test(steps.join(''));

function isWorth(path: FoundPath): boolean {
  const fitting = scalars(path) - path.unfit;
  return fitting > 0 && fitting >= path.unfit + path.containers;
}

function toLeaf(column: JsonColumn, path: FoundPath, unique: UniqueName): Leaf {
  const { steps } = path;
  const columns = leafColumns(column, steps, unique, {
    number: path.numbers > 0,
    string: path.strings > 0,
    boolean: path.booleans > 0,
    elsewhere: path.containers + path.unfit > 0,
  });
  return { column, steps, columns, checksNumbers: path.unfit > 0 && path.numbers > 0 };
}

/** Names of the leaf columns that a path has. */
export function leafColumns(
  column: JsonColumn,
  steps: readonly string[],
  unique: UniqueName,
  has: Readonly<Record<keyof LeafColumns, boolean>>,
): LeafColumns {
  const name = [column, ...steps].join('/');
  const named = (wanted: boolean, suffix = '') => (wanted ? unique(name + suffix) : null);
  return {
    number: named(has.number),
    string: named(has.string),
    boolean: named(has.boolean),
    elsewhere: named(has.elsewhere, '~elsewhere'),
  };
}

/** Appends a number to a name that is taken. */
export type UniqueName = (name: string) => string;

/** Readers of Parquet do not agree on whether case matters in column names. */
export function uniqueNames(): UniqueName {
  const taken = new Set<string>();
  return (name) => {
    let unique = name;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${name}~${number}`;
    taken.add(unique.toLowerCase());
    return unique;
  };
}

function pathsOf(
  found: ReadonlyMap<JsonColumn, FoundPaths>,
  leaves: readonly Leaf[],
): SegmentPaths {
  const paths = listedColumns.map((column) => {
    const { paths: all, complete } = found.get(column) ?? { paths: [], complete: true };
    const own = leaves.filter((leaf) => leaf.column === column);
    const byKey = new Map(own.map(({ steps, columns }) => [pathKey(steps), columns]));
    const others = all.map(({ steps }) => pathKey(steps)).filter((key) => !byKey.has(key));
    const entry: ColumnPaths = { leaves: byKey, textPaths: new Set(others), complete };
    return [column, entry] as const;
  });
  return Object.fromEntries(paths);
}
