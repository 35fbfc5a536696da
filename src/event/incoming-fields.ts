// The checked fields of an event, apart from its JSON columns -> the event in the store's terms.
import { randomUUID } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { MergePath } from '../json/deep-merge.js';
import type { JsonValue } from '../json/json.js';
import { oldEventNames } from '../schema/event.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { parseCreated } from './created.js';
import { expected } from './field-error.js';
import type { EventFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';

/**
 * The schemas have checked the types that are asserted here. `place` names the event in errors.
 * @throws RequestError 400 for fields that exclude each other, and for a date that is none
 */
export function incomingEvent(
  kind: EventObjectKind,
  fields: EventFields,
  columns: Pick<IncomingEvent, 'json' | 'lossless'>,
  place: string,
): IncomingEvent {
  refuseConflicts(fields, place);
  const id = fields.id as string | null | undefined;
  const spanParents = fields.span_parents as readonly string[] | null | undefined;
  return {
    id: id ?? randomUUID(),
    idGenerated: typeof id !== 'string',
    isMerge: fields._is_merge === true,
    mergePaths: mergePathsOf(kind, fields),
    isDelete: fields._object_delete === true,
    parentId: (fields._parent_id as string | null | undefined) ?? null,
    created: createdOf(fields, place),
    spanId: (fields.span_id as string | null | undefined) ?? null,
    rootSpanId: (fields.root_span_id as string | null | undefined) ?? null,
    spanParents: spanParents?.length === 0 ? null : spanParents,
    tags: fields.tags as readonly string[] | null | undefined,
    datasetRecordId: fields.dataset_record_id as string | null | undefined,
    json: columns.json,
    lossless: columns.lossless,
  };
}

function refuseConflicts(fields: EventFields, place: string): void {
  if (typeof fields._parent_id !== 'string') return;
  if (fields._is_merge === true) {
    throw badRequest(`${place}: _is_merge and _parent_id cannot be sent together`);
  }
  for (const field of ['span_id', 'root_span_id', 'span_parents'] as const) {
    if (isSent(fields[field])) {
      throw badRequest(`${place}: ${field} and _parent_id cannot be sent together`);
    }
  }
}

const isSent = (value: JsonValue | undefined): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

function mergePathsOf(kind: EventObjectKind, fields: EventFields): readonly MergePath[] {
  const paths = (fields._merge_paths ?? []) as readonly MergePath[];
  const former = oldEventNames[kind];
  const present = (name: string): string =>
    (Object.hasOwn(former, name) ? former[name] : undefined) ?? name;
  return paths.map((path) => path.map((name, depth) => (depth === 0 ? present(name) : name)));
}

function createdOf({ created }: EventFields, place: string): bigint | null {
  if (typeof created !== 'string') return null;
  const micros = parseCreated(created);
  if (micros === null) throw expected(`${place}.created`, 'an ISO 8601 date-time or null', created);
  return micros;
}
