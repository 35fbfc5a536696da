// `_array_delete` of a row -> the row without the values that it names.
import { canonicalJson } from '../json/canonical.js';
import type { JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { parseJson } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import { jsonColumns } from '../schema/event-columns.js';
import type { UnplacedRow } from '../schema/event-row.js';

export interface ArrayDelete {
  /** Names from the event down to the array. */
  readonly path: readonly string[];
  /** Elements equal to one of them as JSON are removed. */
  readonly delete: readonly JsonValue[];
}

/** What is no array stays as it is. */
export function withoutValues(row: UnplacedRow, deletes: readonly ArrayDelete[]): UnplacedRow {
  return deletes.reduce(deleteOnce, row);
}

const canonicalOf = (value: JsonValue): string => canonicalJson(stringifyJson(value));

function deleteOnce(row: UnplacedRow, { path, delete: values }: ArrayDelete): UnplacedRow {
  const [field, ...steps] = path;
  const doomed = new Set(values.map(canonicalOf));
  if (field === 'tags' && steps.length === 0) {
    const tags = row.tags?.filter((tag) => !doomed.has(canonicalOf(tag))) ?? null;
    return { ...row, tags };
  }
  const column = jsonColumns.find((name) => name === field);
  const text = column === undefined ? null : row[column];
  if (column === undefined || text === null) return row;
  const left = without(parseJson(text, 'stored JSON'), steps, doomed);
  return { ...row, [column]: stringifyJson(left) };
}

function without(
  value: JsonValue,
  [step, ...steps]: readonly string[],
  doomed: ReadonlySet<string>,
): JsonValue {
  if (step === undefined)
    return Array.isArray(value)
      ? (value as readonly JsonValue[]).filter((element) => !doomed.has(canonicalOf(element)))
      : value;
  const member = isJsonObject(value) ? memberOf(value, step) : undefined;
  if (!isJsonObject(value) || member === undefined) return value;
  return objectInOrder(new Map([...membersOf(value), [step, without(member, steps, doomed)]]));
}
