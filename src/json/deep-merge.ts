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

/**
 * Merges objects by key at every depth; replaces arrays and scalars, also by null. The keys of `base` precede new ones.
 */
export function deepMerge(
  base: JsonValue | undefined,
  patch: JsonValue,
  rules: MergeRules = {},
): JsonValue {
  if (!isJsonObject(patch) || rules.mergePaths?.some((path) => path.length === 0) === true)
    return patch;
  return mergeObjects(base !== undefined && isJsonObject(base) ? base : {}, patch, rules);
}

function mergeObjects(
  base: JsonObject,
  patch: JsonObject,
  { mergePaths = [], droppedKeys = none }: MergeRules,
): JsonObject {
  const merged = new Map(membersOf(base));
  for (const [key, part] of membersOf(patch)) {
    if (droppedKeys.has(key)) continue;
    const rules = { mergePaths: pathsBelow(mergePaths, key), droppedKeys };
    merged.set(key, deepMerge(memberOf(base, key), part, rules));
  }
  return objectInOrder(merged);
}

/** The rest of the paths that begin with `key`. */
export const pathsBelow = (paths: readonly MergePath[], key: string): readonly MergePath[] =>
  paths.length === 0
    ? paths
    : paths.filter(([first]) => first === key).map((path) => path.slice(1));
