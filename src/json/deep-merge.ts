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
export interface MergeRule {
  /** The merge paths that begin with the names above the value. */
  readonly paths: readonly MergePath[];
  /** The number of these names. */
  readonly depth: number;
  readonly droppedKeys: ReadonlySet<string>;
}

/** The rule of the whole value. */
export const topRule = ({ mergePaths = [], droppedKeys = none }: MergeRules): MergeRule => ({
  paths: mergePaths,
  depth: 0,
  droppedKeys,
});

/** Whether the value of the patch replaces that of the base at this rule. */
export const replaces = ({ paths, depth }: MergeRule): boolean =>
  paths.some((path) => path.length === depth);

/**
 * Merges objects by key at every depth; replaces arrays and scalars, also by null. The keys of `base` precede new ones.
 */
export const deepMerge = (
  base: JsonValue | undefined,
  patch: JsonValue,
  rules: MergeRules = {},
): JsonValue => mergeAt(base, patch, topRule(rules));

function mergeAt(base: JsonValue | undefined, patch: JsonValue, rule: MergeRule): JsonValue {
  if (!isJsonObject(patch) || replaces(rule)) return patch;
  return mergeObjects(base !== undefined && isJsonObject(base) ? base : {}, patch, rule);
}

function mergeObjects(base: JsonObject, patch: JsonObject, rule: MergeRule): JsonObject {
  const merged = new Map(membersOf(base));
  const ruleAt = deeper(rule);
  for (const [key, part] of membersOf(patch)) {
    if (rule.droppedKeys.has(key)) continue;
    merged.set(key, mergeAt(memberOf(base, key), part, ruleAt(key)));
  }
  return objectInOrder(merged);
}

/**
 * The rules of the members of an object, by name. Each path is in one list per level, so the time is linear in the size of
 * all paths.
 */
export function deeper({ paths, depth, droppedKeys }: MergeRule): (name: string) => MergeRule {
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
