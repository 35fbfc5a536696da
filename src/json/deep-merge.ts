// The one merge of JSON values: objects by key, everything else replaced.
import type { JsonObject, JsonValue } from './json.js';
import { objectInOrder } from './ordered.js';
import { isJsonObject, memberOf, membersOf } from './tree.js';

/** Names of fields from the merged value downwards. */
export type MergePath = readonly string[];

const neverMerged = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Objects merge by key at every depth; arrays and scalars are replaced, also by null. The keys of `base`
 * come first, new ones after them. Keys that JavaScript gives a meaning are dropped from the objects of
 * `patch`. At the `mergePaths` the merge does not descend: the value of `patch` is taken as it is.
 */
export function deepMerge(
  base: JsonValue | undefined,
  patch: JsonValue,
  mergePaths: readonly MergePath[] = [],
): JsonValue {
  if (!isJsonObject(patch) || mergePaths.some((path) => path.length === 0)) return patch;
  return mergeObjects(base !== undefined && isJsonObject(base) ? base : {}, patch, mergePaths);
}

function mergeObjects(
  base: JsonObject,
  patch: JsonObject,
  mergePaths: readonly MergePath[],
): JsonObject {
  const merged = new Map(membersOf(base));
  for (const [key, part] of membersOf(patch)) {
    if (neverMerged.has(key)) continue;
    merged.set(key, deepMerge(memberOf(base, key), part, pathsBelow(mergePaths, key)));
  }
  return objectInOrder(merged);
}

/** The paths that go through `key`, from there on. */
export const pathsBelow = (paths: readonly MergePath[], key: string): readonly MergePath[] =>
  paths.length === 0
    ? paths
    : paths.filter(([first]) => first === key).map((path) => path.slice(1));
