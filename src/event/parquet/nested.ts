// The JSON values of a column of the schema: a leaf, or lists, maps and structs of leaves.
import type { SchemaTree } from 'hyparquet';
import { assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { isListLike, isMapLike } from 'hyparquet/src/schema.js';
import type { JsonValue } from '../../json/json.js';
import { objectInOrder } from '../../json/ordered.js';
import { stringifyJson } from '../../json/stringify.js';

/** The element of a list in the schema. */
const elementOf = ({ children: [repeated] }: SchemaTree): SchemaTree =>
  repeated!.children.length === 1 ? repeated!.children[0]! : repeated!;

/** The column with structs of pairs in place of maps: hyparquet makes objects of maps, whose keys lose their order. */
function withoutMaps(tree: SchemaTree): SchemaTree {
  const children = tree.children.map(withoutMaps);
  const { converted_type: converted, ...element } = tree.element;
  return { ...tree, children, element: converted === 'MAP' ? element : tree.element };
}

/**
 * Returns a value for each row.
 * @param leaves the values of each leaf below the column, by its path
 */
export function valuesOf(
  tree: SchemaTree,
  leaves: ReadonlyMap<string, readonly unknown[]>,
): readonly JsonValue[] {
  const data = new Map(leaves) as Map<string, unknown[]>;
  if (tree.children.length > 0) assembleNested(data, withoutMaps(tree), DEFAULT_PARSERS);
  const values = data.get(tree.path.join('.')) ?? [];
  return values.map((value) => valueOf(tree, value));
}

/** A value of JSON text is a leaf, whatever it is. */
function valueOf(tree: SchemaTree, value: unknown): JsonValue {
  if (tree.element.repetition_type === 'REPEATED' && Array.isArray(value))
    return value.map((one) => contentOf(tree, one));
  return contentOf(tree, value);
}

function contentOf(tree: SchemaTree, value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (tree.children.length === 0) return value as JsonValue;
  if (isListLike(tree))
    return (value as readonly unknown[]).map((one) => contentOf(elementOf(tree), one));
  const struct = value as Readonly<Record<string, unknown>>;
  return isMapLike(tree) ? mapOf(tree.children[0]!, struct) : structOf(tree, struct);
}

/** Members that are null are absent, since all structs of a column have the same members. */
function structOf({ children }: SchemaTree, struct: Readonly<Record<string, unknown>>): JsonValue {
  const members = children.map(
    (child) => [child.element.name, valueOf(child, struct[child.element.name])] as const,
  );
  return objectInOrder(new Map(members.filter(([, value]) => value !== null)));
}

function mapOf(pairs: SchemaTree, struct: Readonly<Record<string, unknown>>): JsonValue {
  const [key, value] = pairs.children as [SchemaTree, SchemaTree];
  const members = (struct[pairs.element.name] as readonly Readonly<Record<string, unknown>>[]).map(
    (pair) =>
      [
        nameOf(contentOf(key, pair[key.element.name])),
        valueOf(value, pair[value.element.name]),
      ] as const,
  );
  return objectInOrder(new Map(members));
}

const nameOf = (key: JsonValue): string => (typeof key === 'string' ? key : stringifyJson(key));
