// Reads a row of the SDKs: its object, its event, and its comment or audit entry. Unknown fields are ignored; an invalid value
// refuses the row.
import { createHash } from 'node:crypto';
import { badRequest } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { objectInOrder } from '../json/ordered.js';
import { stringifyJson } from '../json/stringify.js';
import { isJsonObject, memberOf, membersOf } from '../json/tree.js';
import type { EventObjectKind } from '../schema/event-row.js';
import { readEvents } from './decode.js';
import { expected } from './field-error.js';
import { entriesUnder, type FeedbackItem } from './feedback.js';
import { knownFields } from './fields.js';
import type { IncomingEvent } from './incoming.js';

export interface SdkRow {
  readonly kind: EventObjectKind;
  /** In lower case. */
  readonly objectId: string;
  /** The id of the stored row. */
  readonly id: string;
  /** Null for a comment. */
  readonly event: IncomingEvent | null;
  /** Comments and audit entries, rows of the feedback object. */
  readonly entries: readonly IncomingEvent[];
}

interface RowLocation {
  readonly index: number;
  /** Whether no value of the row needs the exact form. */
  readonly plain: boolean;
}

/** @throws RequestError 400 that names the path of the invalid value */
export function readSdkRow(
  value: JsonValue,
  { index, plain }: RowLocation,
  userId: string,
): SdkRow {
  const path = `rows[${index}]`;
  if (!isJsonObject(value)) throw expected(path, 'an object', value);
  const object = objectOf(value, path);
  const comment = memberOf(value, 'comment') ?? null;
  if (comment !== null) return { ...object, ...commentOf(value, comment, object, userId, path) };
  const event = eventOf(value, object.kind, { index, plain });
  const entries = auditOf(value, event.id, object, userId, path);
  return { ...object, id: event.id, event, entries };
}

type NamedObject = Pick<SdkRow, 'kind' | 'objectId'>;

const objectFields = [
  ['experiment_id', 'experiment'],
  ['dataset_id', 'dataset'],
  ['prompt_session_id', null],
  ['project_id', 'project_logs'],
] as const;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The object of the row: the first one that it names, since rows of datasets also name their project. */
export function objectOf(row: JsonObject, path: string): NamedObject {
  for (const [field, kind] of objectFields) {
    const id = memberOf(row, field) ?? null;
    if (id === null) continue;
    if (kind === null) throw badRequest(`${path}: rows of playgrounds are not stored`);
    if (typeof id !== 'string' || !uuid.test(id)) throw expected(`${path}.${field}`, 'a UUID', id);
    const log = memberOf(row, 'log_id') ?? null;
    if (kind === 'project_logs' && log !== null && log !== 'g')
      throw expected(`${path}.log_id`, '"g"', log);
    return { kind, objectId: id.toLowerCase() };
  }
  throw badRequest(`${path}: expected one of experiment_id, dataset_id, project_id`);
}

/** The JavaScript SDK's name of `dataset_record_id`. */
const recordField = 'datasetRecordId';

/** The fields of the event. The SDK sends a text as the context if its masking function fails. */
function fieldsOf(row: JsonObject, kind: EventObjectKind): JsonObject {
  const known = knownFields(kind, row);
  const changed = new Map<string, JsonValue>();
  const record = memberOf(row, recordField);
  if (kind === 'experiment' && typeof record === 'string') changed.set('dataset_record_id', record);
  const context = memberOf(known, 'context');
  if (typeof context === 'string') changed.set('context', { error: context });
  return changed.size === 0 ? known : objectInOrder(new Map([...membersOf(known), ...changed]));
}

function eventOf(row: JsonObject, kind: EventObjectKind, { index, plain }: RowLocation) {
  const list = { plain, path: 'rows', first: index };
  const [event] = readEvents(kind, [fieldsOf(row, kind)], list);
  return loggedEvent(event!, row);
}

/**
 * The event with the settings of the row that are not event fields. It names every field: an object with a spread and further
 * fields takes ten times as long to create.
 */
export function loggedEvent(event: IncomingEvent, row: JsonObject): IncomingEvent {
  const { isMerge, mergePaths } = event;
  const replacesTags = mergePaths.some((names) => names.length === 1 && names[0] === 'tags');
  const isOfFeedback = isFeedback(row);
  return {
    id: event.id,
    idGenerated: event.idGenerated,
    isMerge,
    mergePaths: isOfFeedback ? [...mergePaths, ['expected']] : mergePaths,
    mergesAllKeys: isOfFeedback,
    unitesTags: isMerge && !replacesTags,
    arrayDeletes: event.arrayDeletes,
    isDelete: event.isDelete,
    parentId: event.parentId,
    created: event.created,
    spanId: event.spanId,
    rootSpanId: event.rootSpanId,
    spanParents: event.spanParents,
    scalars: event.scalars,
    json: event.json,
    lossless: event.lossless,
  };
}

const isFeedback = (row: JsonObject): boolean => (memberOf(row, '_audit_source') ?? null) !== null;

const changedFields = ['scores', 'expected', 'tags'];

/** The audit entry of the row, if it has an `_audit_source`. */
function auditOf(
  row: JsonObject,
  eventId: string,
  { kind, objectId }: NamedObject,
  userId: string,
  path: string,
): readonly IncomingEvent[] {
  if (!isFeedback(row)) return [];
  const sent = knownFields(kind, row);
  const changes = Object.fromEntries(
    changedFields
      .map((name) => [name, memberOf(sent, name) ?? null] as const)
      .filter(([, value]) => value !== null),
  );
  const item = { id: eventId, comment: null, changes, ...auditFields(row, path) };
  if (Object.keys(changes).length === 0) return [];
  const audit = uuidFrom('audit', objectId, userId, eventId, stringifyJson(row));
  return entriesUnder({ comment: audit, audit }, item, userId);
}

function auditFields(row: JsonObject, path: string): Pick<FeedbackItem, 'source' | 'metadata'> {
  const source = memberOf(row, '_audit_source') ?? 'api';
  if (typeof source !== 'string')
    throw expected(`${path}._audit_source`, 'a string or null', source);
  const metadata = memberOf(row, '_audit_metadata') ?? null;
  if (metadata !== null && !isJsonObject(metadata))
    throw expected(`${path}._audit_metadata`, 'an object or null', metadata);
  return { source, metadata };
}

/**
 * The comment on the event in `origin`. Its id is derived from that of the row, so that a repeated request stores the same comment,
 * and from the user, so that it replaces no entry of another one.
 */
function commentOf(
  row: JsonObject,
  comment: JsonValue,
  { objectId }: NamedObject,
  userId: string,
  path: string,
) {
  const origin = memberOf(row, 'origin') ?? null;
  const eventId = isJsonObject(origin) ? memberOf(origin, 'id') : undefined;
  if (typeof eventId !== 'string')
    throw expected(`${path}.origin`, 'an object with the id of an event', origin);
  const id = memberOf(row, 'id') ?? null;
  if (typeof id !== 'string') throw expected(`${path}.id`, 'a string', id);
  const text = isJsonObject(comment) ? memberOf(comment, 'text') : comment;
  if (typeof text !== 'string')
    throw expected(`${path}.comment`, 'a string or an object with the string text', comment);
  const ids = {
    comment: uuidFrom('comment', objectId, userId, id),
    audit: uuidFrom('audit of comment', objectId, userId, id),
  };
  const item = { id: eventId, comment: text, changes: {}, ...auditFields(row, path) };
  return { id, event: null, entries: entriesUnder(ids, item, userId) };
}

/** A UUID derived from the parts. */
function uuidFrom(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
