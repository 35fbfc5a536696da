// The JSON paths of a merged segment. It takes over the leaf columns of its inputs. A path that is a leaf in one input and
// text in another is extracted again.
import type { JsonColumn } from '../../schema/event-columns.js';
import {
  pathKey,
  pathStorage,
  type ColumnPaths,
  type LeafColumns,
  type PathStorage,
  type SegmentPaths,
} from '../../schema/event-relation.js';
import type { LeafType } from './field-ids.js';
import type { Leaf } from './leaf-columns.js';
import { compareSteps, leafColumns, listedColumns, uniqueNames } from './leaf-selection.js';
import { listedMax } from './path-tree.js';
import type { Segment } from './segment.js';

/** A leaf column that is copied from the segments, under one name in all of them. */
export interface TakenColumn {
  readonly name: string;
  readonly type: LeafType;
}

export interface MergedPaths {
  readonly paths: SegmentPaths;
  readonly taken: readonly TakenColumn[];
  /** Leaf columns that have to be extracted from JSON text. */
  readonly extracted: readonly Leaf[];
  /** By segment, in their order: its own name of each taken column that it has. */
  readonly names: readonly ReadonlyMap<string, string>[];
}

type Input = Pick<Segment, 'paths' | 'rows'>;

/** A path that is a leaf in at least one segment. */
interface CommonPath {
  readonly column: JsonColumn;
  readonly steps: readonly string[];
  /** How the path is stored, by segment. */
  readonly storage: readonly PathStorage[];
}

interface CountedPath extends CommonPath {
  /** In the segments where it is a leaf. */
  readonly rows: number;
}

interface MergedLeaf extends CommonPath {
  readonly columns: LeafColumns;
}

const leafTypes: readonly LeafType[] = ['number', 'string', 'boolean', 'elsewhere'];

export function mergePaths(segments: readonly Input[], leafPathsMax: number): MergedPaths {
  const chosen = commonPaths(segments)
    .sort((one, other) => other.rows - one.rows || compareSteps(one.steps, other.steps))
    .slice(0, leafPathsMax);
  const unique = uniqueNames();
  const leaves = chosen.map((path) => toLeaf(path, unique));
  const taken = leaves.filter((leaf) => !isMixed(leaf));
  return {
    paths: pathsOf(segments, leaves),
    taken: taken.flatMap(({ columns }) => namesIn(columns).map(([type, name]) => ({ name, type }))),
    extracted: leaves
      .filter(isMixed)
      .map(({ column, steps, columns }) => ({ column, steps, columns, checksNumbers: true })),
    names: segments.map((_, index) => new Map(taken.flatMap((leaf) => namesOf(leaf, index)))),
  };
}

function commonPaths(segments: readonly Input[]): CountedPath[] {
  return listedColumns.flatMap((column) => {
    const keys = new Set(
      segments.flatMap(({ paths }) => [...(paths[column]?.leaves.keys() ?? [])]),
    );
    return Array.from(keys, (key) => {
      const steps = JSON.parse(key) as readonly string[];
      const storage = segments.map(({ paths }) => pathStorage(paths, column, steps));
      const rows = segments.reduce(
        (sum, segment, index) => sum + (isLeaf(storage[index]!) ? segment.rows : 0),
        0,
      );
      return { column, steps, storage, rows };
    });
  });
}

const isLeaf = (storage: PathStorage): storage is LeafColumns => typeof storage !== 'string';

/** Whether some rows may have the path only in their text. */
const isMixed = ({ storage }: CommonPath): boolean => storage.includes('text');

function toLeaf(path: CommonPath, unique: (name: string) => string): MergedLeaf {
  const { column, steps, storage } = path;
  const has = (type: LeafType): boolean =>
    isMixed(path) || storage.some((own) => isLeaf(own) && own[type] !== null);
  const columns = leafColumns(column, steps, unique, {
    number: has('number'),
    string: has('string'),
    boolean: has('boolean'),
    elsewhere: has('elsewhere'),
  });
  return { column, steps, storage, columns };
}

const namesIn = (columns: LeafColumns): readonly (readonly [LeafType, string])[] =>
  leafTypes.flatMap((type) => {
    const name = columns[type];
    return name === null ? [] : [[type, name] as const];
  });

function namesOf(
  { storage, columns }: MergedLeaf,
  index: number,
): readonly (readonly [string, string])[] {
  const own = storage[index]!;
  if (!isLeaf(own)) return [];
  return namesIn(columns).flatMap(([type, name]) => {
    const ownName = own[type];
    return ownName === null ? [] : [[name, ownName] as const];
  });
}

function pathsOf(segments: readonly Input[], leaves: readonly MergedLeaf[]): SegmentPaths {
  const entries = listedColumns.map((column) => {
    const own = leaves.filter((leaf) => leaf.column === column);
    const byKey = new Map(own.map(({ steps, columns }) => [pathKey(steps), columns]));
    return [column, withTextPaths(segments, column, byKey)] as const;
  });
  return Object.fromEntries(entries);
}

function withTextPaths(
  segments: readonly Input[],
  column: JsonColumn,
  leaves: ColumnPaths['leaves'],
): ColumnPaths {
  const textPaths = new Set<string>();
  let characters = [...leaves.keys()].reduce((sum, key) => sum + key.length, 0);
  let complete = true;
  for (const { paths } of segments) {
    const own = paths[column];
    complete &&= own?.complete === true;
    for (const key of own === undefined ? [] : [...own.leaves.keys(), ...own.textPaths]) {
      if (leaves.has(key) || textPaths.has(key)) continue;
      characters += key.length;
      if (leaves.size + textPaths.size < listedMax.paths && characters <= listedMax.characters)
        textPaths.add(key);
      else complete = false;
    }
  }
  return { leaves, textPaths, complete };
}
