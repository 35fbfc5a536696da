// A page of a list: the headers after or before a cursor, newest first.
import { badRequest } from '../errors.js';
import type { ObjectKind } from '../schema/resources/definition.js';
import type { HeaderField } from '../schema/resources/filters.js';
import type { ObjectHeader } from './header.js';
import { headerAsOf, idsOf, isReachable, type ObjectIndex } from './object-index.js';

export interface ListSelection {
  /** Whether the caller may see an object. Also called for deleted ones, which are valid cursors. */
  readonly isVisible: (header: ObjectHeader) => boolean;
  /** Whether an object that is no longer visible is a valid cursor; by default none is. */
  readonly wasVisible?: (header: ObjectHeader) => boolean;
  /** Only these ids, in lower case; null for all. */
  readonly ids: ReadonlySet<string> | null;
  /** Only objects with these values in their headers. */
  readonly where: Readonly<Partial<Record<HeaderField, string | null>>>;
  /** Whether other fields of an object match; by default they all do. */
  readonly hasFields?: (header: ObjectHeader) => boolean;
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
  /** The version to read, for versioned kinds; null for the latest. */
  readonly version: bigint | null;
  /** Null for all. */
  readonly limit: number | null;
}

/** Selects all objects. */
export const everything = {
  ids: null,
  where: {},
  startingAfter: null,
  endingBefore: null,
  version: null,
  limit: null,
} as const;

const valueIn = (index: ObjectIndex, header: ObjectHeader, field: HeaderField) =>
  field === 'projectName' ? index.byId.get(header.projectId ?? '')?.name : header[field];

const hasValues = (index: ObjectIndex, header: ObjectHeader, { where }: ListSelection) =>
  Object.entries(where).every(
    ([field, value]) => value === valueIn(index, header, field as HeaderField),
  );

const isSelected = (index: ObjectIndex, header: ObjectHeader, selection: ListSelection) =>
  isReachable(index, header) &&
  (selection.ids === null || selection.ids.has(header.id)) &&
  hasValues(index, header, selection) &&
  (selection.hasFields === undefined || selection.hasFields(header)) &&
  selection.isVisible(header);

function cursorPosition(
  index: ObjectIndex,
  kind: ObjectKind,
  { isVisible, wasVisible }: ListSelection,
  parameter: string,
  id: string,
): number {
  const position = idsOf(index, kind).indexOf(id);
  const header = index.byId.get(id);
  const isCursor =
    position !== -1 && header !== undefined && (isVisible(header) || wasVisible?.(header) === true);
  if (!isCursor) throw badRequest(`${parameter}: no ${kind} has had the id "${id}"`);
  return position;
}

/** Collects headers from a position in steps of 1 (towards newer) or -1 until the limit is reached. */
function collect(
  index: ObjectIndex,
  ids: readonly string[],
  from: number,
  step: 1 | -1,
  selection: ListSelection,
): ObjectHeader[] {
  const found: ObjectHeader[] = [];
  const limit = selection.limit ?? Infinity;
  for (let position = from; found.length < limit; position += step) {
    const id = ids[position];
    if (id === undefined) break;
    const header = headerAsOf(index, id, selection.version);
    if (header !== undefined && isSelected(index, header, selection)) found.push(header);
  }
  return found;
}

/** @throws RequestError 400 if no object of this kind ever had the id of the cursor */
export function listPage(
  index: ObjectIndex,
  kind: ObjectKind,
  selection: ListSelection,
): readonly ObjectHeader[] {
  const ids = idsOf(index, kind);
  const { startingAfter, endingBefore } = selection;
  if (startingAfter !== null && endingBefore !== null) {
    throw badRequest('starting_after and ending_before cannot be given together');
  }
  if (endingBefore !== null) {
    const from = cursorPosition(index, kind, selection, 'ending_before', endingBefore) + 1;
    return collect(index, ids, from, 1, selection).reverse();
  }
  const from =
    startingAfter === null
      ? ids.length - 1
      : cursorPosition(index, kind, selection, 'starting_after', startingAfter) - 1;
  return collect(index, ids, from, -1, selection);
}
