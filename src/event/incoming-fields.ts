// Converts the validated fields of an event, except its JSON columns, to an `IncomingEvent`.
import { randomUUID } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { MergePath } from '../json/deep-merge.js';
import type { JsonValue } from '../json/json.js';
import { deprecatedEventNames } from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { parseCreated } from './created.js';
import { expected } from './field-error.js';
import type { EventFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';

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
    isDelete: fields._object_delete === true,
    parentId: (fields._parent_id as string | null | undefined) ?? null,
    created: createdOf(fields, path),
    spanId: (fields.span_id as string | null | undefined) ?? null,
    rootSpanId: (fields.root_span_id as string | null | undefined) ?? null,
    spanParents: spanParents?.length === 0 ? null : spanParents,
    tags: fields.tags as readonly string[] | null | undefined,
    datasetRecordId: fields.dataset_record_id as string | null | undefined,
    json: columns.json,
    lossless: columns.lossless,
  };
}

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

function mergePathsOf(kind: EventObjectKind, fields: EventFields): readonly MergePath[] {
  const paths = (fields._merge_paths ?? []) as readonly MergePath[];
  const former = deprecatedEventNames[kind];
  const present = (name: string): string =>
    (Object.hasOwn(former, name) ? former[name] : undefined) ?? name;
  return paths.map((path) => path.map((name, depth) => (depth === 0 ? present(name) : name)));
}

function createdOf({ created }: EventFields, path: string): bigint | null {
  if (typeof created !== 'string') return null;
  const micros = parseCreated(created);
  if (micros === null) throw expected(`${path}.created`, 'an ISO 8601 date-time or null', created);
  return micros;
}
