// Converts the validated fields of an event, except its JSON columns, to an `IncomingEvent`.
import { randomUUID } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { MergePath } from '../json/deep-merge.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { memberOf } from '../json/tree.js';
import { deprecatedEventNames } from '../schema/event.js';
import { scalarColumns } from '../schema/event-columns.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { limits, tooMany } from '../schema/limits.js';
import type { ArrayDelete } from './array-delete.js';
import { parseCreated } from './created.js';
import { expected } from './field-error.js';
import type { EventFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';
import type { Scalars } from './row.js';

/**
 * The schemas have validated the types that are asserted here. `path` names the event in errors.
 * @throws RequestError 400 for mutually exclusive fields and for an invalid date
 */
export function incomingEvent(
  kind: EventObjectKind,
  fields: EventFields,
  columns: Pick<IncomingEvent, 'json' | 'lossless'>,
  path: string,
): IncomingEvent {
  refuseConflicts(fields, path);
  const id = fields.id as string | null | undefined;
  const spanParents = fields.span_parents as readonly string[] | null | undefined;
  return {
    id: id ?? randomUUID(),
    idGenerated: typeof id !== 'string',
    isMerge: fields._is_merge === true,
    mergePaths: mergePathsOf(kind, fields),
    arrayDeletes: arrayDeletesOf(kind, fields, path),
    isDelete: fields._object_delete === true,
    parentId: (fields._parent_id as string | null | undefined) ?? null,
    created: createdOf(fields, path),
    spanId: (fields.span_id as string | null | undefined) ?? null,
    rootSpanId: (fields.root_span_id as string | null | undefined) ?? null,
    spanParents: spanParents?.length === 0 ? null : spanParents,
    scalars: scalarsOf(fields),
    json: columns.json,
    lossless: columns.lossless,
  };
}

function scalarsOf(fields: EventFields): Partial<Scalars> {
  const sent = scalarColumns.filter((column) => fields[column] !== undefined);
  return sent.length === 0
    ? noScalars
    : (Object.fromEntries(sent.map((column) => [column, fields[column]])) as Partial<Scalars>);
}

const noScalars: Partial<Scalars> = {};

function refuseConflicts(fields: EventFields, path: string): void {
  if (typeof fields._parent_id !== 'string') return;
  if (fields._is_merge === true) {
    throw badRequest(`${path}: _is_merge and _parent_id cannot be sent together`);
  }
  for (const field of ['span_id', 'root_span_id', 'span_parents'] as const) {
    if (isSent(fields[field])) {
      throw badRequest(`${path}: ${field} and _parent_id cannot be sent together`);
    }
  }
}

const isSent = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const mergePathsOf = (kind: EventObjectKind, fields: EventFields): readonly MergePath[] =>
  ((fields._merge_paths ?? []) as readonly MergePath[]).map((path) => presentPath(kind, path));

const noDeletes: readonly ArrayDelete[] = [];

function arrayDeletesOf(
  kind: EventObjectKind,
  fields: EventFields,
  path: string,
): readonly ArrayDelete[] {
  const sent = (fields._array_delete ?? null) as readonly JsonObject[] | null;
  // Nearly all events lack the field, and share one list.
  if (sent === null) return noDeletes;
  const deletes = sent.map((item) => ({
    path: presentPath(kind, memberOf(item, 'path') as readonly string[]),
    delete: memberOf(item, 'delete') as readonly JsonValue[],
  }));
  const count = deletes.reduce((sum, { delete: values }) => sum + values.length, 0);
  const { max } = limits.deletions;
  if (count > max) throw badRequest(`${path}._array_delete: ${tooMany(max, count)}`);
  return deletes;
}

/** The path with the current name of the field that it begins with. */
function presentPath(kind: EventObjectKind, path: readonly string[]): readonly string[] {
  const former = deprecatedEventNames[kind];
  const [field = ''] = path;
  return Object.hasOwn(former, field) ? [former[field]!, ...path.slice(1)] : path;
}

function createdOf({ created }: EventFields, path: string): bigint | null {
  if (typeof created !== 'string') return null;
  const micros = parseCreated(created);
  if (micros === null) throw expected(`${path}.created`, 'an ISO 8601 date-time or null', created);
  return micros;
}
