// The one merge of JSON values: objects by key, everything else replaced.
import type { JsonObject, JsonValue } from './json.js';
import { objectInOrder } from './ordered.js';
import { isJsonObject, memberOf, membersOf } from './tree.js';

/** Names of fields from the merged value downwards. */
export type MergePath = readonly string[];

const none: ReadonlySet<string> = new Set();

export interface MergeRules {
  /** There the merge does not descend: the value of the patch is taken as it is. */
  readonly mergePaths?: readonly MergePath[];
  /** Left out of the objects that the merge descends into. Without them `__proto__` is a key like any other. */
  readonly droppedKeys?: ReadonlySet<string>;
}

/**
 * Objects merge by key at every depth; arrays and scalars are replaced, also by null. The keys of `base`
 * come first, new ones after them.
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

/** The paths that go through `key`, from there on. */
export const pathsBelow = (paths: readonly MergePath[], key: string): readonly MergePath[] =>
  paths.length === 0
    ? paths
    : paths.filter(([first]) => first === key).map((path) => path.slice(1));
