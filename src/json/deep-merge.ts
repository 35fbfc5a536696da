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
export interface Place {
  /** The merge paths that begin with the names above the value. */
  readonly paths: readonly MergePath[];
  /** The number of these names. */
  readonly depth: number;
  readonly droppedKeys: ReadonlySet<string>;
}

/** The place of the whole value. */
export const placeOf = ({ mergePaths = [], droppedKeys = none }: MergeRules): Place => ({
  paths: mergePaths,
  depth: 0,
  droppedKeys,
});

/** Whether the value of the patch replaces that of the base at this place. */
export const replaces = ({ paths, depth }: Place): boolean =>
  paths.some((path) => path.length === depth);

/**
 * Merges objects by key at every depth; replaces arrays and scalars, also by null. The keys of `base` precede new ones.
 */
export const deepMerge = (
  base: JsonValue | undefined,
  patch: JsonValue,
  rules: MergeRules = {},
): JsonValue => mergeAt(base, patch, placeOf(rules));

function mergeAt(base: JsonValue | undefined, patch: JsonValue, place: Place): JsonValue {
  if (!isJsonObject(patch) || replaces(place)) return patch;
  return mergeObjects(base !== undefined && isJsonObject(base) ? base : {}, patch, place);
}

function mergeObjects(base: JsonObject, patch: JsonObject, place: Place): JsonObject {
  const merged = new Map(membersOf(base));
  const placeAt = deeper(place);
  for (const [key, part] of membersOf(patch)) {
    if (place.droppedKeys.has(key)) continue;
    merged.set(key, mergeAt(memberOf(base, key), part, placeAt(key)));
  }
  return objectInOrder(merged);
}

/**
 * The places of the members of an object, by name. Each path is in one list per level, so the time is linear in the size of
 * all paths.
 */
export function deeper({ paths, depth, droppedKeys }: Place): (name: string) => Place {
  const groups = new Map<string | undefined, MergePath[]>();
  for (const path of paths) {
    const name = path[depth];
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [path]);
    else group.push(path);
  }
  return (name) => ({ paths: groups.get(name) ?? [], depth: depth + 1, droppedKeys });
}

/** The rest of the paths that begin with `key`. */
export const pathsBelow = (paths: readonly MergePath[], key: string): readonly MergePath[] =>
  paths.filter(([first]) => first === key).map((path) => path.slice(1));
