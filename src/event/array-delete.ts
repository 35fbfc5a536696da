// Applies `_array_delete` to a row. Each column is walked once, so the time is linear in the size of the row and of the
// deletions.
import { canonicalJson } from '../json/canonical.js';
import type { JsonValue } from '../json/json.js';
import { bytesOfJson, type JsonText } from '../json/json-text.js';
import { stringifyJson } from '../json/stringify.js';
import { withoutElements } from '../json/without-elements.js';
import { jsonColumns, type JsonColumn } from '../schema/event-columns.js';
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
export function* withoutValues(
  row: NewRow,
  deletes: readonly ArrayDelete[],
): Generator<void, NewRow> {
  if (deletes.length === 0) return row;
  const { below } = byPath(deletes);
  const doomedTags = below.get('tags')?.values;
  const tags =
    doomedTags === undefined
      ? row.tags
      : (row.tags?.filter((tag) => !doomedTags.has(canonicalOf(tag))) ?? null);
  const changed: Partial<Record<JsonColumn, JsonText>> = {};
  for (const name of jsonColumns) {
    const text = row[name];
    const deletions = below.get(name);
    if (text === null || deletions === undefined) continue;
    changed[name] = yield* withoutElements(bytesOfJson(text), deletions, row._lossless);
  }
  return { ...row, ...changed, tags };
}
