// Applies `_array_delete` to a row. Each column is parsed and walked once, so the time is linear in the size of the row and of
// the deletions.
import { canonicalJson } from '../json/canonical.js';
import type { JsonValue } from '../json/json.js';
import { stringOfJson, type JsonText } from '../json/json-text.js';
import { objectInOrder } from '../json/ordered.js';
import { parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, membersOf } from '../json/tree.js';
import { jsonColumns } from '../schema/event-columns.js';
import type { NewRow } from './row.js';

export interface ArrayDelete {
  /** Names from a field of the event to the array. */
  readonly path: readonly string[];
  /** Elements to remove; compared as JSON. */
  readonly delete: readonly JsonValue[];
}

/** The deletions at a path and below it. */
interface Deletions {
  /** The canonical JSON of the elements to remove. */
  readonly values: Set<string>;
  readonly below: Map<string, Deletions>;
}

const noDeletions = (): Deletions => ({ values: new Set(), below: new Map() });

const canonicalOf = (value: JsonValue): string => canonicalJson(stringifyJson(value));

function byPath(deletes: readonly ArrayDelete[]): Deletions {
  const root = noDeletions();
  for (const { path, delete: values } of deletes) {
    let deletions = root;
    for (const name of path) {
      const next = deletions.below.get(name) ?? noDeletions();
      deletions.below.set(name, next);
      deletions = next;
    }
    for (const value of values) deletions.values.add(canonicalOf(value));
  }
  return root;
}

/** Values other than arrays stay unchanged. */
export function withoutValues(row: NewRow, deletes: readonly ArrayDelete[]): NewRow {
  if (deletes.length === 0) return row;
  const { below } = byPath(deletes);
  const doomedTags = below.get('tags')?.values;
  const tags =
    doomedTags === undefined
      ? row.tags
      : (row.tags?.filter((tag) => !doomedTags.has(canonicalOf(tag))) ?? null);
  const columns = jsonColumns.map((name) => [name, textWithout(row[name], below.get(name))]);
  return { ...row, ...(Object.fromEntries(columns) as Partial<NewRow>), tags };
}

function textWithout(text: JsonText | null, deletions: Deletions | undefined): JsonText | null {
  if (text === null || deletions === undefined) return text;
  return stringifyJson(without(parseJson(stringOfJson(text), 'stored JSON'), deletions));
}

function without(value: JsonValue, { values, below }: Deletions): JsonValue {
  if (Array.isArray(value))
    return values.size === 0
      ? value
      : (value as readonly JsonValue[]).filter((element) => !values.has(canonicalOf(element)));
  if (!isJsonObject(value) || below.size === 0) return value;
  const members = Array.from(membersOf(value), ([name, member]) => {
    const deletions = below.get(name);
    return [name, deletions === undefined ? member : without(member, deletions)] as const;
  });
  return objectInOrder(new Map(members));
}
