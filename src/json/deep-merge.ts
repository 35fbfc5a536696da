// Deep merge of JSON values: objects by key; other values are replaced.
import type { JsonObject, JsonValue } from './json.js';
import { objectInOrder } from './ordered.js';
import { isJsonObject, memberOf, membersOf } from './tree.js';

/** Names from the merged value to a value in it. */
export type MergePath = readonly string[];

const none: ReadonlySet<string> = new Set();

export interface MergeRules {
  /** Paths at which the value of the patch replaces that of the base. */
  readonly mergePaths?: readonly MergePath[];
  /** Keys to omit from merged objects. Otherwise `__proto__` is an ordinary key. */
  readonly droppedKeys?: ReadonlySet<string>;
}

/** Where a merge is: below the names of a path. */
interface Place {
  /** The merge paths that begin with the names above the value. */
  readonly paths: readonly MergePath[];
  /** The number of these names. */
  readonly depth: number;
  readonly droppedKeys: ReadonlySet<string>;
}

/**
 * Merges objects by key at every depth; replaces arrays and scalars, also by null. The keys of `base` precede new ones.
 */
export const deepMerge = (
  base: JsonValue | undefined,
  patch: JsonValue,
  { mergePaths = [], droppedKeys = none }: MergeRules = {},
): JsonValue => mergeAt(base, patch, { paths: mergePaths, depth: 0, droppedKeys });

function mergeAt(base: JsonValue | undefined, patch: JsonValue, place: Place): JsonValue {
  const { paths, depth } = place;
  if (!isJsonObject(patch) || paths.some((path) => path.length === depth)) return patch;
  return mergeObjects(base !== undefined && isJsonObject(base) ? base : {}, patch, place);
}

function mergeObjects(base: JsonObject, patch: JsonObject, place: Place): JsonObject {
  const { depth, droppedKeys } = place;
  const merged = new Map(membersOf(base));
  const below = byName(place);
  for (const [key, part] of membersOf(patch)) {
    if (droppedKeys.has(key)) continue;
    const paths = below.get(key) ?? [];
    merged.set(key, mergeAt(memberOf(base, key), part, { paths, depth: depth + 1, droppedKeys }));
  }
  return objectInOrder(merged);
}

type PathsByName = ReadonlyMap<string | undefined, readonly MergePath[]>;

const noPaths: PathsByName = new Map();

/** The paths by their next name. Each path is in one list per level, so the time is linear in the size of all paths. */
function byName({ paths, depth }: Place): PathsByName {
  if (paths.length === 0) return noPaths;
  const groups = new Map<string | undefined, MergePath[]>();
  for (const path of paths) {
    const name = path[depth];
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [path]);
    else group.push(path);
  }
  return groups;
}

/** The rest of the paths that begin with `key`. */
export const pathsBelow = (paths: readonly MergePath[], key: string): readonly MergePath[] =>
  paths.filter(([first]) => first === key).map((path) => path.slice(1));
