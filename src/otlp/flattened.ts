// Rebuilds a value from attributes whose names are its paths, such as `gen_ai.prompt.0.role`.
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { limits } from '../schema/limits.js';
import type { Attributes } from './attributes.js';

interface Leaf {
  readonly value: JsonValue;
}

type Branch = Map<string, Branch | Leaf>;

const isBranch = (node: Branch | Leaf | undefined): node is Branch => node instanceof Map;

/** Returns false if another name has a value where this one has a branch, or vice versa. */
function put(root: Branch, steps: readonly string[], value: JsonValue): boolean {
  let branch = root;
  for (const step of steps.slice(0, -1)) {
    const next = branch.get(step) ?? new Map<string, Branch | Leaf>();
    if (!isBranch(next)) return false;
    branch.set(step, next);
    branch = next;
  }
  const last = steps.at(-1) ?? '';
  if (branch.has(last)) return false;
  branch.set(last, { value });
  return true;
}

const valueOf = (node: Branch | Leaf): JsonValue =>
  isBranch(node) ? containerOf(node) : node.value;

/** An array when the steps are 0, 1, 2, … in any order. */
function containerOf(branch: Branch): JsonValue {
  const items = Array.from(branch, (_, index) => branch.get(String(index)));
  if (items.every((item) => item !== undefined)) return items.map(valueOf);
  return objectInOrder(new Map(Array.from(branch, ([step, node]) => [step, valueOf(node)])));
}

export interface Flattened {
  readonly value: JsonValue;
  /** The names of the attributes that it contains. */
  readonly names: readonly string[];
}

const { max } = limits.pathSteps;

/** The value of the attributes below `prefix`, which ends with a dot; null if there are none. */
export function flattened(attributes: Attributes, prefix: string): Flattened | null {
  const root: Branch = new Map();
  const names: string[] = [];
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix) || name.length === prefix.length) continue;
    const steps = name.slice(prefix.length).split('.', max + 1);
    if (steps.length <= max && put(root, steps, value)) names.push(name);
  }
  return names.length === 0 ? null : { value: containerOf(root), names };
}
