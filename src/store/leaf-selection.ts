// The inventory of a segment's rows -> which paths get leaf columns, and the names of these.
import { jsonColumns, type JsonColumn } from '../schema/event-columns.js';
import {
  pathKey,
  type ColumnPaths,
  type LeafColumns,
  type SegmentPaths,
} from '../schema/event-relation.js';
import { hasEnginePath, type Leaf } from './leaf-columns.js';
import type { Inventory, PathUse } from './path-inventory.js';

export type Inventories = Readonly<Partial<Record<JsonColumn, Inventory>>>;

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
]);

/** The columns whose paths are listed at all. */
export const listedColumns: readonly JsonColumn[] = jsonColumns.filter(
  (column) => regularColumns.has(column) || ['input', 'output', 'expected'].includes(column),
);

const nameCharactersMax = 200;
/** Share of rows that need to have a path. */
const leastShare = { regular: 0.001, other: 0.5 };

export function selectLeaves(
  inventories: Inventories,
  rowCount: number,
  leafPathsMax: number,
): LeafSelection {
  const candidates = Object.entries(inventories)
    .flatMap(([column, { uses }]) =>
      Array.from(uses.values(), (use) => ({ column: column as JsonColumn, use })),
    )
    .filter(({ column, use }) => isWorth(column, use, rowCount))
    .sort(
      (left, right) => scalars(right.use) - scalars(left.use) || compareKeys(left.use, right.use),
    )
    .slice(0, leafPathsMax);
  const unique = uniqueNames();
  const leaves = candidates.map(({ column, use }) => toLeaf(column, use, unique));
  return { leaves, paths: pathsOf(inventories, leaves) };
}

const scalars = ({ numbers, strings, booleans }: PathUse): number => numbers + strings + booleans;

/** Keeps names the same from segment to segment. */
function compareKeys(left: PathUse, right: PathUse): number {
  const [first, second] = [pathKey(left.steps), pathKey(right.steps)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const occurs = (use: PathUse): boolean => scalars(use) + use.containers > 0;

function isWorth(column: JsonColumn, use: PathUse, rowCount: number): boolean {
  const share = regularColumns.has(column) ? leastShare.regular : leastShare.other;
  const fitting = scalars(use) - use.unfit;
  return (
    fitting > 0 &&
    fitting >= use.unfit + use.containers &&
    scalars(use) >= share * rowCount &&
    use.steps.every(hasEnginePath) &&
    use.steps.join('/').length <= nameCharactersMax &&
    !/\p{Cc}/u.test(use.steps.join(''))
  );
}

function toLeaf(column: JsonColumn, use: PathUse, unique: (name: string) => string): Leaf {
  const name = [column, ...use.steps].join('/');
  const named = (count: number, suffix = '') => (count > 0 ? unique(name + suffix) : null);
  const columns: LeafColumns = {
    number: named(use.numbers),
    string: named(use.strings),
    boolean: named(use.booleans),
    elsewhere: named(use.containers + use.unfit, '~elsewhere'),
  };
  return { column, steps: use.steps, columns, checksNumbers: use.unfit > 0 && use.numbers > 0 };
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
  const paths = Object.entries(inventories).map(([column, { uses, complete }]) => {
    const own = leaves.filter((leaf) => leaf.column === column);
    const byKey = new Map(own.map(({ steps, columns }) => [pathKey(steps), columns]));
    const others = [...uses].filter(([key, use]) => occurs(use) && !byKey.has(key));
    const entry: ColumnPaths = {
      leaves: byKey,
      textPaths: new Set(others.map(([key]) => key)),
      complete,
    };
    return [column, entry] as const;
  });
  return Object.fromEntries(paths);
}
